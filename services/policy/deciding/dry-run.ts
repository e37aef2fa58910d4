/** Says what a policy makes of an action, and why. Pure. */
import { assertNever } from "#contracts/assert-never";
import type { RuleId } from "#contracts/ids";
import { agentIntegration } from "#contracts/policy/agent-tools";
import type { DryRun, RuleFinding } from "#contracts/policy/view";
import { compiledRules } from "../rules/compiled-rules.ts";
import { type ActionAsked, type DecidedMode, decideMode } from "./decide-mode.ts";
import type { PolicyState } from "../aggregate/state.ts";

/** @param spent the rules whose budget is used up */
export const dryRun = (
  policy: PolicyState,
  asked: ActionAsked,
  spent: ReadonlySet<RuleId>,
): DryRun => {
  const decision = decideMode(policy, asked, spent);
  const { mode, source, drifted } = decision;
  const ruleId = decision.rule?.id ?? null;
  const rules = compiledRules(policy.rules)
    .judge(asked, spent)
    .map(({ stored: { id }, verdict }): RuleFinding => {
      if (verdict !== "applies") return { ruleId: id, finding: verdict };
      return { ruleId: id, finding: id === ruleId ? "decides" : "outranked" };
    });
  return { mode, source, ruleId, drifted, because: because(decision, asked), rules };
};

const because = (decision: DecidedMode, asked: ActionAsked): string =>
  decision.drifted
    ? `${decidedBy(decision, asked)} But the action has changed since somebody let it run unasked.`
    : decidedBy(decision, asked);

const decidedBy = (
  { source, rule, mode }: DecidedMode,
  { risk, integration }: ActionAsked,
): string => {
  switch (source) {
    case "rule": {
      const where =
        rule?.rule.scope.kind === "organization"
          ? "the organisation"
          : `this ${rule?.rule.scope.kind ?? ""}`;
      return `A rule of ${where} decides.`;
    }
    case "automation":
      return "No rule applies; the automation has a mode of its own for this action.";
    case "organization":
      return "No rule applies; the organisation has set a mode for this action.";
    case "inferred":
      return integration === agentIntegration && mode === "allow"
        ? "Nobody has decided on this tool; what an agent does inside its sandbox is allowed."
        : `Nobody has decided on this action; the risk that it has (${risk}, unless overridden) suggests ${mode}.`;
    default:
      return assertNever(source);
  }
};
