/** What people change of a policy, whichever way they come: over HTTP, or by the operator's CLI. */
import type { OrganizationId, RuleId, TriggerId } from "#contracts/ids";
import type { PolicyCommand } from "#contracts/policy/commands";
import type { ActionMode, RiskLevel } from "#contracts/policy/mode";
import type { PolicyRule } from "#contracts/policy/rules";
import type { Position } from "#contracts/position";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import type { ActionRegistry } from "../actions/sources/registry.ts";
import { changePolicy, loadPolicy, requireRule } from "./commands.ts";
import { reviewedDefinitionHash } from "./definitions/reviewed-definition.ts";

export interface PolicyChangesDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly clock: () => Date;
}

export interface Changing {
  readonly organization: OrganizationId;
  /** Whose decision it is. */
  readonly by: string;
  readonly meta: CommandMeta;
}

interface NamedAction {
  readonly integration: string;
  readonly action: string;
}

/** A change that may let an action run unasked. */
export interface Reviewed {
  readonly position: Position;
  /** Whether the action's definition was looked at, so that it is noticed when that changes. */
  readonly reviewed: boolean;
}

const authorOf = (deps: PolicyChangesDeps, { by }: Changing) => ({
  by,
  at: deps.clock().toISOString(),
});

type ReviewedBy = ReturnType<typeof authorOf> & { readonly definitionHash: string | null };

/** Looks at the action that a change may let run, and makes the change. */
const changeReviewed = async (
  deps: PolicyChangesDeps,
  changing: Changing,
  set: NamedAction & { readonly mode: ActionMode | null },
  commandOf: (reviewedBy: ReviewedBy) => PolicyCommand,
): Promise<Reviewed> => {
  const { organization, meta } = changing;
  const definitionHash = await reviewedDefinitionHash(deps.registry, organization, set);
  const command = commandOf({ ...authorOf(deps, changing), definitionHash });
  const position = await changePolicy(deps.store, organization, command, meta);
  return { position, reviewed: definitionHash !== null };
};

/** The organisation's mode for an action. @throws DomainError as {@link reviewedDefinitionHash} */
export const setActionMode = (
  deps: PolicyChangesDeps,
  changing: Changing,
  set: NamedAction & { readonly mode: ActionMode },
): Promise<Reviewed> =>
  changeReviewed(deps, changing, set, (reviewedBy) => ({
    type: "SetActionMode",
    ...set,
    ...reviewedBy,
  }));

/** Takes the organisation's mode back: what then happens follows from the action's risk. */
export const clearActionMode = (
  { store }: PolicyChangesDeps,
  { organization, meta }: Changing,
  named: NamedAction,
): Promise<Position> =>
  changePolicy(store, organization, { type: "ClearActionMode", ...named }, meta);

/**
 * What happens to an action in an automation's sessions; null follows the organisation again.
 *
 * @throws DomainError as {@link reviewedDefinitionHash}
 */
export const setAutomationMode = (
  deps: PolicyChangesDeps,
  changing: Changing,
  set: NamedAction & { readonly triggerId: TriggerId; readonly mode: ActionMode | null },
): Promise<Reviewed> =>
  changeReviewed(deps, changing, set, (reviewedBy) => ({
    type: "SetAutomationMode",
    ...set,
    ...reviewedBy,
  }));

/** How far an integration reaches, or with an action that one; null believes the integration. */
export const overrideRisk = (
  deps: PolicyChangesDeps,
  changing: Changing,
  set: {
    readonly integration: string;
    readonly action: string | null;
    readonly risk: RiskLevel | null;
  },
): Promise<Position> => {
  const command = { type: "OverrideRisk", ...set, ...authorOf(deps, changing) } as const;
  return changePolicy(deps.store, changing.organization, command, changing.meta);
};

/**
 * Adds a rule, or changes the one of this id.
 *
 * @throws DomainError `policy_rule_invalid`, `too_many_policy_rules`, and as {@link reviewedDefinitionHash}
 */
export const setRule = (
  deps: PolicyChangesDeps,
  changing: Changing,
  { ruleId, rule: given }: { readonly ruleId: RuleId; readonly rule: PolicyRule },
): Promise<Reviewed> => {
  // One form of instant, so that they sort as text.
  const expiresAt = given.expiresAt && new Date(given.expiresAt).toISOString();
  const rule = { ...given, expiresAt };
  return changeReviewed(deps, changing, rule, (reviewedBy) => ({
    type: "SetRule",
    ruleId,
    rule,
    ...reviewedBy,
  }));
};

/** @throws DomainError `policy_rule_not_found` */
export const removeRule = async (
  { store }: PolicyChangesDeps,
  { organization, meta }: Changing,
  ruleId: RuleId,
): Promise<Position> => {
  requireRule(await loadPolicy(store, organization), ruleId);
  return changePolicy(store, organization, { type: "RemoveRule", ruleId }, meta);
};
