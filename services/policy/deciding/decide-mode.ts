/**
 * Which mode an action has: the one place where it is decided, for agents and for dry runs alike.
 *
 * Of the rules that apply, one that refuses wins; then the narrower scope (session, automation,
 * organisation), then the one that names more (integration and action rather than `*`), then the stricter
 * mode, then the older rule. Where no rule applies: the automation's own mode, the organisation's mode,
 * and what the risk suggests; the agent's own tools run, unless somebody has given them a risk. Last, an action that has changed since somebody let it run unasked waits
 * for a person again; what is refused stays so. Pure.
 */
import type { RuleId } from "#contracts/ids";
import type { ModeSource } from "#contracts/invocation/events";
import { agentIntegration } from "#contracts/policy/agent-tools";
import { type ActionMode, actionModeSchema, type RiskLevel } from "#contracts/policy/mode";
import { compiledRules, type RuleQuestion } from "../rules/compiled-rules.ts";
import { keyOf, type PolicyState, type StoredRule } from "../aggregate/state.ts";

export interface ActionAsked extends RuleQuestion {
  /** What the action says of itself: it only decides where nobody else has. */
  readonly risk: RiskLevel;
  readonly definitionHash: string;
}

export interface DecidedMode {
  readonly mode: ActionMode;
  readonly source: ModeSource;
  /** The rule that decided; null if none did. */
  readonly rule: StoredRule | null;
  /** Whether the action would have run, had it not changed since it was reviewed. */
  readonly drifted: boolean;
}

/** @param spent the rules whose budget is known to be used up */
export const decideMode = (
  policy: PolicyState,
  asked: ActionAsked,
  spent: ReadonlySet<RuleId> = new Set(),
): DecidedMode => {
  const rule = compiledRules(policy.rules).first(asked, spent);
  return guardDrift(policy, asked, guardUnknown(decided(policy, asked, rule)));
};

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

const knownModes: ReadonlySet<string> = new Set(actionModeSchema.options);

/** The API takes no mode that it does not know. What stands in a log all the same, of another version, refuses. */
const guardUnknown = (decision: Undrifted): Undrifted =>
  knownModes.has(decision.mode) ? decision : { ...decision, mode: "deny" };

const guardDrift = (
  { reviewed }: PolicyState,
  { integration, action, definitionHash }: ActionAsked,
  decision: Undrifted,
): DecidedMode => {
  const hash = reviewed[keyOf(integration, action)];
  const drifted = decision.mode === "allow" && hash !== undefined && hash !== definitionHash;
  return { ...decision, mode: drifted ? "require_approval" : decision.mode, drifted };
};
