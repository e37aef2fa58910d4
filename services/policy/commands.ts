import { DomainError } from "#contracts/errors";
import { derivedId, type OrganizationId } from "#contracts/ids";
import type { PolicyCommand } from "#contracts/policy/commands";
import { type PolicyEvent, policyEvents } from "#contracts/policy/events";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { watchAggregate } from "#event-store/reading/watch-aggregate";
import { execute } from "#event-store/aggregates/execute";
import { loadKept } from "#event-store/aggregates/kept-aggregates";
import type { AggregateDefinition } from "#event-store/aggregates/load";
import { policyDecider } from "./aggregate/decider.ts";
import type { PolicyState } from "./aggregate/state.ts";

const aggregate: AggregateDefinition<PolicyCommand, PolicyEvent, PolicyState> = {
  aggregate: "policy",
  decider: policyDecider,
  snapshotVersion: 4,
};

/** An organisation has one policy; its id follows from the organisation's. */
const refOf = (organization: OrganizationId): { organization: OrganizationId; id: string } => ({
  organization,
  id: derivedId("policy", organization),
});

/**
 * The policy as it stands in the log. An organisation that has decided nothing has an empty one. It is asked
 * for at each action; rules that have not changed are the same object, and compiled already.
 */
export const loadPolicy = async (
  store: EventStore,
  organization: OrganizationId,
): Promise<PolicyState> => (await loadKept(store, aggregate, refOf(organization))).state;

/** Tells that the policy changes. Only a nudge, as {@link watchAggregate} has it. */
export const watchPolicy = (
  store: EventStore,
  organization: OrganizationId,
  onNudge: () => void,
): { stop(): void } => {
  const events = policyEvents.map(({ type }) => type);
  return watchAggregate(
    store,
    { ...refOf(organization), aggregate: "policy" },
    { events, onNudge },
  );
};

/**
 * Changes the policy; what is so already changes nothing.
 *
 * @throws DomainError `policy_rule_invalid`, `too_many_policy_rules`
 */
export const changePolicy = async (
  store: EventStore,
  organization: OrganizationId,
  command: PolicyCommand,
  meta: CommandMeta,
): Promise<Position> =>
  (await execute(store, aggregate, refOf(organization), command, meta)).position;

/** @throws DomainError `policy_rule_not_found` */
export const requireRule = ({ rules }: PolicyState, ruleId: string): void => {
  if (rules.some(({ id }) => id === ruleId)) return;
  throw new DomainError("policy_rule_not_found", "There is no such rule.", { fields: { ruleId } });
};
