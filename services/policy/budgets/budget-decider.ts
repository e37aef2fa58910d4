/** What a rule with a budget has allowed. Plain JSON: snapshots of the state are stored. */
import { DomainError } from "#contracts/errors";
import type { InvocationId } from "#contracts/ids";
import type { RuleCommand } from "#contracts/rule/commands";
import type { RuleEvent } from "#contracts/rule/events";
import type { Decider } from "#event-store/aggregates/decider";

export interface RuleState {
  /** The invocations that the rule has let run; no more than its budget, so they can all be kept. */
  readonly spentBy: readonly InvocationId[];
}

export const ruleDecider: Decider<RuleCommand, RuleEvent, RuleState> = {
  initialState: () => ({ spentBy: [] }),
  decide: ({ invocationId, budget }, { spentBy }) => {
    // An invocation that comes again, after a crash or under its key, costs nothing more.
    if (spentBy.includes(invocationId)) return [];
    if (spentBy.length >= budget) {
      throw new DomainError("policy_budget_spent", "The rule has allowed all of its calls.", {
        fields: { budget },
      });
    }
    return [{ type: "RuleCallSpent", data: { invocationId } }];
  },
  evolve: ({ spentBy }, { data }) =>
    spentBy.includes(data.invocationId)
      ? { spentBy }
      : { spentBy: [...spentBy, data.invocationId] },
};
