/**
 * The policy of an organisation: everything that somebody has decided about actions.
 * The state is plain JSON, because snapshots of it are stored.
 */
import { isDeepStrictEqual } from "node:util";
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { PolicyCommand } from "#contracts/policy/commands";
import type { PolicyEvent } from "#contracts/policy/events";
import { maxRules } from "#contracts/policy/rules";
import type { Decider } from "#event-store/aggregates/decider";
import { evolve } from "./evolve.ts";
import { review, withReviewWithdrawn } from "./review.ts";
import { keyOf, type PolicyState } from "./state.ts";

type CommandOf<T extends PolicyCommand["type"]> = Extract<PolicyCommand, { type: T }>;

export const policyDecider: Decider<PolicyCommand, PolicyEvent, PolicyState> = {
  initialState: () => ({
    modes: {},
    automationModes: {},
    modeAuthors: {},
    reviewed: {},
    risks: {},
    riskAuthors: {},
    rules: [],
    keepsFullResults: false,
  }),
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case "SetActionMode":
        return setActionMode(command, state);
      case "ClearActionMode":
        return clearActionMode(command, state);
      case "SetAutomationMode":
        return setAutomationMode(command, state);
      case "OverrideRisk": {
        const { integration, action, risk, by, at } = command;
        return (state.risks[keyOf(integration, action)] ?? null) === risk
          ? []
          : [{ type: "RiskOverridden", data: { integration, action, risk, by, at } }];
      }
      case "SetRule":
        return setRule(command, state);
      case "RemoveRule":
        return removeRule(command, state);
      case "SetFullResultKeeping":
        return state.keepsFullResults === command.keep
          ? []
          : [{ type: "FullResultKeepingSet", data: { keep: command.keep } }];
      default:
        return assertNever(command);
    }
  },
};

const setActionMode = (
  command: CommandOf<"SetActionMode">,
  state: PolicyState,
): readonly PolicyEvent[] => {
  const { integration, action, mode, by, at } = command;
  const set: readonly PolicyEvent[] =
    state.modes[keyOf(integration, action)] === mode
      ? []
      : [{ type: "ActionModeSet", data: { integration, action, mode, by, at } }];
  return [...set, ...review(command, mode === "allow", state)];
};

const clearActionMode = (
  { integration, action }: CommandOf<"ClearActionMode">,
  state: PolicyState,
): readonly PolicyEvent[] => {
  const isSet = state.modes[keyOf(integration, action)] !== undefined;
  const cleared: readonly PolicyEvent[] = isSet
    ? [{ type: "ActionModeCleared", data: { integration, action } }]
    : [];
  return withReviewWithdrawn(cleared, { integration, action }, state);
};

const setAutomationMode = (
  command: CommandOf<"SetAutomationMode">,
  state: PolicyState,
): readonly PolicyEvent[] => {
  const { triggerId, integration, action, mode, by, at } = command;
  const before = state.automationModes[keyOf(triggerId, integration, action)] ?? null;
  const set: readonly PolicyEvent[] =
    before === mode
      ? []
      : [{ type: "AutomationModeSet", data: { triggerId, integration, action, mode, by, at } }];
  if (mode === null) return withReviewWithdrawn(set, { integration, action }, state);
  return [...set, ...review(command, mode === "allow", state)];
};

const setRule = (command: CommandOf<"SetRule">, state: PolicyState): readonly PolicyEvent[] => {
  const { ruleId, rule, by, at } = command;
  if (rule.budget !== null && rule.mode !== "allow") {
    throw new DomainError("policy_rule_invalid", "Only a rule that allows can have a budget.");
  }
  const before = state.rules.find(({ id }) => id === ruleId);
  if (!before && state.rules.length >= maxRules) {
    throw new DomainError("too_many_policy_rules", `A policy has ${maxRules} rules at most.`, {
      fields: { limit: maxRules },
    });
  }
  const set: readonly PolicyEvent[] = isDeepStrictEqual(before?.rule, rule)
    ? []
    : [{ type: "PolicyRuleSet", data: { ruleId, rule, by, at } }];
  const { integration, action } = rule;
  const { definitionHash } = command;
  return [...set, ...review({ integration, action, definitionHash }, rule.mode === "allow", state)];
};

const removeRule = (
  { ruleId }: CommandOf<"RemoveRule">,
  state: PolicyState,
): readonly PolicyEvent[] => {
  const removed = state.rules.find(({ id }) => id === ruleId);
  // Removed before: whoever asks again has what they want.
  if (!removed) return [];
  const event = { type: "PolicyRuleRemoved", data: { ruleId } } as const;
  return withReviewWithdrawn([event], removed.rule, state);
};
