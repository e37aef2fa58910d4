import { derivedId, type OrganizationId } from "#contracts/ids";
import type { PolicyCommand } from "#contracts/policy/commands";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/execute";
import { loadAggregate } from "#event-store/load";
import { policyDecider, type PolicyState } from "./decider.ts";

const aggregate = { aggregate: "policy", decider: policyDecider } as const;

/** An organisation has one policy; its id follows from the organisation's. */
const refOf = (organization: OrganizationId): { organization: OrganizationId; id: string } => ({
  organization,
  id: derivedId("policy", organization),
});

/** The policy as it stands in the log. An organisation that has decided nothing has an empty one. */
export const loadPolicy = async (
  store: EventStore,
  organization: OrganizationId,
): Promise<PolicyState> => (await loadAggregate(store, aggregate, refOf(organization))).state;

/** Sets what happens to an action throughout the organisation. Setting the same mode again changes nothing. */
export const setActionMode = async (
  store: EventStore,
  organization: OrganizationId,
  command: Omit<PolicyCommand, "type">,
  meta: CommandMeta,
): Promise<Position> =>
  (
    await execute(
      store,
      aggregate,
      refOf(organization),
      { type: "SetActionMode", ...command },
      meta,
    )
  ).position;
