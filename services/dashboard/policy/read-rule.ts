/** A rule as its form gives it. Pure. */
import { actionModeSchema } from "#contracts/policy/mode";
import { type PolicyRule, policyRuleSchema, type RuleScope } from "#contracts/policy/rules";
import { formText } from "../ui/form-text.ts";
import { type ConditionDraft, conditionOf } from "./condition-draft.ts";

export interface RuleDraft {
  readonly form: FormData;
  readonly scope: RuleScope["kind"];
  readonly conditions: readonly ConditionDraft[];
}

/**
 * Null for what no rule can be, such as one for a session without an id. The server checks what does not go
 * together, such as a budget of a rule that denies.
 */
export const readRule = ({ form, scope, conditions }: RuleDraft): PolicyRule | null => {
  const text = (name: string): string => formText(form, name);
  const [expiresAt, budget] = [text("expiresAt"), text("budget")];
  const rule = {
    integration: text("integration"),
    action: text("action"),
    mode: actionModeSchema.parse(text("mode")),
    scope: scopeOf(scope, text),
    conditions: conditions.map(conditionOf),
    // The field knows no time zone: it is the one of whoever looks at it.
    expiresAt: expiresAt === "" ? null : new Date(expiresAt).toISOString(),
    budget: budget === "" ? null : Number(budget),
    note: text("note"),
  };
  return policyRuleSchema.safeParse(rule).data ?? null;
};

const scopeOf = (kind: RuleScope["kind"], text: (name: string) => string): object => {
  switch (kind) {
    case "organization":
      return { kind };
    case "session":
      return { kind, sessionId: text("sessionId") };
    case "automation":
      return { kind, triggerId: text("triggerId") };
  }
};
