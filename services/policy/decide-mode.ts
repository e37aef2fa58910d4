/**
 * Which mode an action has: the one place where it is decided, for agents and for dry runs alike.
 *
 * Of the rules that apply, one that refuses wins; then the narrower scope (session, automation,
 * organisation), then the one that names more (integration and action rather than `*`), then the stricter
 * mode, then the older rule. Where no rule applies: the automation's own mode, the organisation's mode,
 * and what the risk suggests; the agent's own tools run, unless somebody has given them a risk. Last, an action that has changed since somebody let it run unasked waits
 * for a person again; what is refused stays so. Pure.
 */
import type { RuleId, SessionId, TriggerId } from "#contracts/ids";
import type { ModeSource } from "#contracts/invocation/events";
import { agentIntegration } from "#contracts/policy/agent-tools";
import type { ActionMode, RiskLevel } from "#contracts/policy/mode";
import { anyName, type PolicyRule, type RuleScope } from "#contracts/policy/rules";
import { conditionsHold } from "./conditions.ts";
import { keyOf, type PolicyState, type StoredRule } from "./state.ts";

export interface ActionAsked {
  readonly integration: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What the action says of itself: it only decides where nobody else has. */
  readonly risk: RiskLevel;
  readonly definitionHash: string;
  /** Null where it is asked about no session in particular. */
  readonly sessionId: SessionId | null;
  /** Whose automation the session works for; null for a person's. */
  readonly triggerId: TriggerId | null;
  /** ISO 8601 instant in UTC, with milliseconds. */
  readonly now: string;
}

export interface DecidedMode {
  readonly mode: ActionMode;
  readonly source: ModeSource;
  /** The rule that decided; null if none did. */
  readonly rule: StoredRule | null;
  /** Whether the action would have run, had it not changed since it was reviewed. */
  readonly drifted: boolean;
}

/** Why a rule applies or does not. */
type RuleVerdict =
  "applies" | "other_action" | "other_scope" | "expired" | "condition_not_met" | "budget_spent";

/** @param spent the rules whose budget is known to be used up */
export const decideMode = (
  policy: PolicyState,
  asked: ActionAsked,
  spent: ReadonlySet<RuleId> = new Set(),
): DecidedMode => {
  let deciding: StoredRule | null = null;
  for (const rule of policy.rules) {
    if (judgeRule(rule, asked, spent) !== "applies") continue;
    if (deciding === null || precedes(rule.rule, deciding.rule)) deciding = rule;
  }
  return guardDrift(policy, asked, decided(policy, asked, deciding));
};

export const judgeRule = (
  { id, rule }: StoredRule,
  asked: ActionAsked,
  spent: ReadonlySet<RuleId>,
): RuleVerdict => {
  if (!coversAction(rule, asked)) return "other_action";
  if (!isInScope(rule.scope, asked)) return "other_scope";
  // Both are instants of the same form, which sort as text.
  if (rule.expiresAt !== null && rule.expiresAt <= asked.now) return "expired";
  if (!conditionsHold(rule, asked.params)) return "condition_not_met";
  return spent.has(id) ? "budget_spent" : "applies";
};

/**
 * Whether a rule speaks of the action. One of every integration speaks of what reaches outside: it was not
 * made to stop an agent at each file that it reads. The agent's own tools are named as such.
 */
export const coversAction = (
  rule: Pick<PolicyRule, "integration" | "action">,
  { integration, action }: Pick<ActionAsked, "integration" | "action">,
): boolean =>
  (rule.integration === integration ||
    (rule.integration === anyName && integration !== agentIntegration)) &&
  (rule.action === anyName || rule.action === action);

export const isInScope = (scope: RuleScope, { sessionId, triggerId }: ActionAsked): boolean => {
  switch (scope.kind) {
    case "organization":
      return true;
    case "automation":
      return scope.triggerId === triggerId;
    case "session":
      return scope.sessionId === sessionId;
  }
};

const scopeRank = { session: 0, automation: 1, organization: 2 } as const;
const strictness = { deny: 0, require_approval: 1, allow: 2 } as const;

/** Whether a rule goes before an older one. */
const precedes = (rule: PolicyRule, older: PolicyRule): boolean => {
  const [mine, others] = [rankOf(rule), rankOf(older)];
  const differs = mine.findIndex((rank, index) => rank !== others[index]);
  return differs >= 0 && (mine[differs] ?? 0) < (others[differs] ?? 0);
};

/** Compared from the left; smaller goes first. */
const rankOf = ({ mode, scope, integration, action }: PolicyRule): readonly number[] => [
  mode === "deny" ? 0 : 1,
  scopeRank[scope.kind],
  Number(integration === anyName) + Number(action === anyName),
  strictness[mode],
];

const inferredModes: Readonly<Record<RiskLevel, ActionMode>> = {
  read: "allow",
  write: "require_approval",
  danger: "deny",
};

type Undrifted = Omit<DecidedMode, "drifted">;

const decided = (
  policy: PolicyState,
  { integration, action, risk, triggerId }: ActionAsked,
  rule: StoredRule | null,
): Undrifted => {
  if (rule) return { mode: rule.rule.mode, source: "rule", rule };
  const own = triggerId && policy.automationModes[keyOf(triggerId, integration, action)];
  if (own) return { mode: own, source: "automation", rule: null };
  const set = policy.modes[keyOf(integration, action)];
  if (set) return { mode: set, source: "organization", rule: null };
  const { [keyOf(integration, action)]: actionRisk, [keyOf(integration, null)]: wholeRisk } =
    policy.risks;
  const overridden = actionRisk ?? wholeRisk;
  // An agent's own tools stay inside its sandbox, which is the fence.
  const mode =
    integration === agentIntegration && overridden === undefined
      ? "allow"
      : inferredModes[overridden ?? risk];
  return { mode, source: "inferred", rule: null };
};

const guardDrift = (
  { reviewed }: PolicyState,
  { integration, action, definitionHash }: ActionAsked,
  decision: Undrifted,
): DecidedMode => {
  const hash = reviewed[keyOf(integration, action)];
  const drifted = decision.mode === "allow" && hash !== undefined && hash !== definitionHash;
  return { ...decision, mode: drifted ? "require_approval" : decision.mode, drifted };
};
