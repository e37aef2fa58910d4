import type { InvocationId, OrganizationId, RuleId } from "#contracts/ids";
import type { CommandMeta } from "#event-store/command-meta";
import type { RuleBudgets } from "../budgets/budgets.ts";
import { type ActionAsked, type DecidedMode, decideMode } from "./decide-mode.ts";
import type { PolicyState } from "../aggregate/state.ts";

export interface Settling {
  readonly organization: OrganizationId;
  readonly invocationId: InvocationId;
  readonly policy: PolicyState;
  readonly asked: ActionAsked;
}

/**
 * Decides on an invocation, and takes the call from the budget of the rule that lets it run. A rule with
 * nothing left is passed over, and those after it decide.
 *
 * @throws DomainError as {@link RuleBudgets.spend}
 */
export const settleMode = async (
  budgets: RuleBudgets,
  { organization, invocationId, policy, asked }: Settling,
  meta: CommandMeta,
): Promise<DecidedMode> => {
  const spent = new Set<RuleId>();
  for (;;) {
    const decision = decideMode(policy, asked, spent);
    const { rule, mode } = decision;
    const budget = rule?.rule.budget ?? null;
    // An action that waits for a person because it has changed costs nothing.
    if (rule === null || budget === null || mode !== "allow") return decision;
    const key = { organization, id: rule.id };
    if (await budgets.spend(key, { budget, invocationId }, meta)) return decision;
    spent.add(rule.id);
  }
};
