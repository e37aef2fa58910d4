/** The budgets of rules in the log: how a call is taken from one, and how much is left. */
import { setTimeout as delay } from "node:timers/promises";
import { isDomainError } from "#contracts/errors";
import { derivedId, type InvocationId, type OrganizationId, type RuleId } from "#contracts/ids";
import type { RuleCommand } from "#contracts/rule/commands";
import type { RuleEvent } from "#contracts/rule/events";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { type AggregateDefinition, loadAggregate } from "#event-store/aggregates/load";
import { createKeyedQueue } from "../../keyed-queue.ts";
import { ruleDecider, type RuleState } from "./budget-decider.ts";

const aggregate: AggregateDefinition<RuleCommand, RuleEvent, RuleState> = {
  aggregate: "rule",
  decider: ruleDecider,
  snapshotVersion: 1,
};

export interface RuleKey {
  readonly organization: OrganizationId;
  readonly id: RuleId;
}

export interface Spending {
  readonly budget: number;
  readonly invocationId: InvocationId;
}

export interface RuleBudgets {
  /**
   * Takes one call from the rule's budget, once for each invocation; false when nothing is left. A call
   * that is taken for an invocation that then never comes (the process dies) stays taken: a budget may
   * allow fewer calls than it says, never more.
   *
   * @throws DomainError `concurrency_conflict` when others keep coming first, `log_unavailable`
   */
  spend(rule: RuleKey, spending: Spending, meta: CommandMeta): Promise<boolean>;
  /** How many calls the rule has allowed. */
  spent(rule: RuleKey): Promise<number>;
}

/** How often other processes may come first, and how long to stand back then, in milliseconds. */
const maxAttempts = 20;
const longestPauseMs = 100;

export const createRuleBudgets = (store: EventStore): RuleBudgets => {
  const queue = createKeyedQueue();
  return {
    spend: (rule, spending, meta) =>
      queue.run(rule.id, () => spendCall(store, rule, spending, meta)),
    spent: async (rule) => (await loadAggregate(store, aggregate, rule)).state.spentBy.length,
  };
};

const spendCall = async (
  store: EventStore,
  rule: RuleKey,
  { budget, invocationId }: Spending,
  { commandId, ...meta }: CommandMeta,
): Promise<boolean> => {
  const spending = {
    ...meta,
    commandId: derivedId("command", "spend", rule.id, invocationId),
    causationId: commandId,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await execute(store, aggregate, rule, { type: "SpendCall", invocationId, budget }, spending);
      return true;
    } catch (error) {
      if (isDomainError(error, "policy_budget_spent")) return false;
      if (!isDomainError(error, "concurrency_conflict") || attempt === maxAttempts) throw error;
      await delay(Math.random() * longestPauseMs);
    }
  }
};
