import type { OrganizationId, TriggerId } from "#contracts/ids";
import type { AuthorView, PolicyView, RuleView } from "#contracts/policy/view";
import type { RuleBudgets } from "./budgets/budgets.ts";
import type { PolicyState, StoredRule } from "./aggregate/state.ts";

/** The names of an organisation's people by id, as far as they are known. */
export type NamesOf = (
  organization: OrganizationId,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export interface PolicyViewDeps {
  readonly budgets: RuleBudgets;
  readonly namesOf: NamesOf;
}

/** A policy as people see it, with the names of their authors and what each rule has allowed so far. */
export const viewOf = async (
  policy: PolicyState,
  organization: OrganizationId,
  { budgets, namesOf }: PolicyViewDeps,
): Promise<PolicyView> => {
  const { modes, automationModes, modeAuthors, risks, riskAuthors, rules } = policy;
  const authors = [rules, Object.values(modeAuthors), Object.values(riskAuthors)].flat();
  const names = await namesOf(
    organization,
    authors.map(({ by }) => by),
  );
  const shown = (author: PolicyState["modeAuthors"][string] | undefined): AuthorView => {
    const { by, at } = author ?? { by: null, at: null };
    return { by, byName: names.get(by ?? "") ?? null, at };
  };
  const ruleView = async ({ id, rule, by, at }: StoredRule): Promise<RuleView> => {
    const spent = rule.budget === null ? null : await budgets.spent({ organization, id });
    return { ...rule, id, by, byName: names.get(by) ?? null, at, spent };
  };
  return {
    modes: Object.entries(modes).map(([key, mode]) => {
      const [integration, action] = JSON.parse(key) as [string, string];
      return { integration, action, mode, ...shown(modeAuthors[key]) };
    }),
    automationModes: Object.entries(automationModes).map(([key, mode]) => {
      const [triggerId, integration, action] = JSON.parse(key) as [TriggerId, string, string];
      return { triggerId, integration, action, mode, ...shown(modeAuthors[key]) };
    }),
    risks: Object.entries(risks).map(([key, risk]) => {
      const [integration, action] = JSON.parse(key) as [string, string | null];
      return { integration, action, risk, ...shown(riskAuthors[key]) };
    }),
    rules: await Promise.all(rules.map(ruleView)),
    keepsFullResults: policy.keepsFullResults,
  };
};
