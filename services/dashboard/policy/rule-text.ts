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
  ...(rule.budget === null ? [] : [`${rule.spent ?? 0} of ${rule.budget} calls used`]),
];

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
