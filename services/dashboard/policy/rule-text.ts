import type { ActionMode } from "#contracts/policy/mode";
import type { Condition, RuleScope } from "#contracts/policy/rules";
import type { RuleView } from "#contracts/policy/view";
import type { Tone } from "../ui/badge.tsx";

export const modeShown: Readonly<Record<ActionMode, { label: string; tone: Tone }>> = {
  allow: { label: "Allow", tone: "success" },
  require_approval: { label: "Ask a person", tone: "warning" },
  deny: { label: "Deny", tone: "danger" },
};

/** What limits a rule, in words, each for itself; nothing for one that always holds. Pure. */
export const limitsOf = (rule: RuleView): readonly string[] => [
  ...scopeText(rule.scope),
  ...rule.conditions.map(conditionText),
  ...(rule.budget === null ? [] : [`${callsLeft(rule, rule.budget)} of ${rule.budget} calls left`]),
];

/** Why a rule decides nothing any more; null for one that still may. @param now milliseconds since 1970 */
export const overText = (rule: RuleView, now: number): string | null => {
  if (rule.expiresAt !== null && Date.parse(rule.expiresAt) <= now) return "Expired";
  return rule.budget !== null && callsLeft(rule, rule.budget) === 0 ? "Used up" : null;
};

/** A rule that was given a smaller budget since may have allowed more than that. */
const callsLeft = ({ spent }: RuleView, budget: number): number =>
  Math.max(0, budget - (spent ?? 0));

const scopeText = (scope: RuleScope): readonly string[] => {
  switch (scope.kind) {
    case "organization":
      return [];
    case "automation":
      return [`in the automation ${scope.triggerId}`];
    case "session":
      return [`in the session ${scope.sessionId}`];
  }
};

const conditionText = (condition: Condition): string => {
  switch (condition.op) {
    case "equals":
      return `if ${condition.path} is ${JSON.stringify(condition.value)}`;
    case "in":
      return `if ${condition.path} is one of ${JSON.stringify(condition.values)}`;
    case "matches":
      return `if ${condition.path} is like “${condition.glob}”`;
    case "between":
      return `if ${condition.path} is from ${condition.min ?? "−∞"} to ${condition.max ?? "∞"}`;
  }
};
