/** An integration is switched off by a rule like any other; whoever looks at the policy sees it there. Pure. */
import { anyName, type PolicyRule } from "#contracts/policy/rules";
import type { RuleView } from "#contracts/policy/view";

/** Refuses everything, everywhere and always: no rule of another scope goes before one that denies. */
export const switchOffRule = (integration: string): PolicyRule => ({
  integration,
  action: anyName,
  mode: "deny",
  scope: { kind: "organization" },
  conditions: [],
  expiresAt: null,
  budget: null,
  note: "Switched off",
});

/** The rules that switch an integration off: taking them all back switches it on. */
export const switchOffRulesOf = (
  integration: string,
  rules: readonly RuleView[],
): readonly RuleView[] =>
  rules.filter(
    (rule) =>
      rule.integration === integration &&
      rule.action === anyName &&
      rule.mode === "deny" &&
      rule.scope.kind === "organization" &&
      rule.conditions.length === 0 &&
      rule.expiresAt === null,
  );
