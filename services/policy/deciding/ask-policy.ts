/** Gathers what a policy needs to know to decide on an action. */
import type { ActionDefinition } from "#contracts/actions/definition";
import type { OrganizationId, RuleId, SessionId, TriggerId } from "#contracts/ids";
import { agentIntegration, agentToolDefinition } from "#contracts/policy/agent-tools";
import type { EventStore } from "#event-store/event-store";
import {
  type ActionRegistry,
  requireAction,
  requireSource,
} from "../../actions/sources/registry.ts";
import { requireSession } from "../../sessions/session-log.ts";
import { triggerOfRun } from "../../automations/commands.ts";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import type { RuleBudgets } from "../budgets/budgets.ts";
import { loadPolicy } from "../commands.ts";
import { compiledRules } from "../rules/compiled-rules.ts";
import type { ActionAsked } from "./decide-mode.ts";
import { definitionHashOf } from "../definitions/definition-hash.ts";
import type { PolicyState } from "../aggregate/state.ts";

export interface AskPolicyDeps {
  readonly store: EventStore;
  readonly registry: ActionRegistry;
  readonly clock: () => Date;
}

export interface PolicyQuestion {
  readonly organization: OrganizationId;
  readonly sessionId: SessionId | null;
  readonly integration: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The organisation's policy, and the action as the policy sees it.
 *
 * @throws DomainError `session_not_found`, `integration_not_found`, `action_not_found`, and
 * `action_failed` when the integration cannot be asked
 */
export const askPolicy = async (
  { store, registry, clock }: AskPolicyDeps,
  { organization, sessionId, integration, action, params }: PolicyQuestion,
): Promise<{ policy: PolicyState; asked: ActionAsked }> => {
  const session = sessionId && (await requireSession(store, { organization, session: sessionId }));
  const definition =
    integration === agentIntegration
      ? agentToolDefinition(action)
      : await requireAction(await requireSource(registry, organization, integration), action);
  const [policy, triggerId] = await Promise.all([
    loadPolicy(store, organization),
    session && triggerOfSession(store, organization, session),
  ]);
  const asked = askedOf({ integration, definition, params, sessionId, triggerId, now: clock() });
  return { policy, asked };
};

/** The automation that the session works for; null for a person's session. */
export const triggerOfSession = async (
  store: EventStore,
  organization: OrganizationId,
  { origin }: ExistingSession,
): Promise<TriggerId | null> =>
  origin.kind === "automation" ? triggerOfRun(store, { organization, id: origin.runId }) : null;

/** An action of an integration as its policy sees it. */
export const askedOf = ({
  definition,
  now,
  ...rest
}: Pick<ActionAsked, "integration" | "params" | "sessionId" | "triggerId"> & {
  readonly definition: ActionDefinition;
  readonly now: Date;
}): ActionAsked => ({
  ...rest,
  action: definition.id,
  risk: definition.risk,
  definitionHash: definitionHashOf(definition),
  now: now.toISOString(),
});

const noRules: ReadonlySet<RuleId> = new Set();

/** Those of the rules that speak of the action whose budget is used up. */
export const spentRules = async (
  budgets: RuleBudgets,
  organization: OrganizationId,
  { rules }: PolicyState,
  asked: ActionAsked,
): Promise<ReadonlySet<RuleId>> => {
  const limited = compiledRules(rules)
    .judge(asked, noRules)
    .filter(({ stored, verdict }) => stored.rule.budget !== null && verdict === "applies")
    .map(({ stored }) => stored);
  const spent = await Promise.all(limited.map(({ id }) => budgets.spent({ organization, id })));
  return new Set(
    limited
      .filter(({ rule }, index) => (spent[index] ?? 0) >= (rule.budget ?? Infinity))
      .map(({ id }) => id),
  );
};
