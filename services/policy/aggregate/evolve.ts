import { assertNever } from "#contracts/assert-never";
import type { PolicyEvent } from "#contracts/policy/events";
import { keyOf, type PolicyState, type StoredRule } from "./state.ts";

/** Folds an event into a policy. */
export const evolve = (state: PolicyState, event: PolicyEvent): PolicyState => {
  switch (event.type) {
    case "ActionModeSet": {
      const { integration, action, mode } = event.data;
      const key = keyOf(integration, action);
      return {
        ...state,
        modes: { ...state.modes, [key]: mode },
        modeAuthors: withEntry(state.modeAuthors, key, authorOf(event.data)),
      };
    }
    case "ActionModeCleared": {
      const { integration, action } = event.data;
      const key = keyOf(integration, action);
      return {
        ...state,
        modes: withEntry(state.modes, key, null),
        modeAuthors: withEntry(state.modeAuthors, key, null),
      };
    }
    case "AutomationModeSet": {
      const { triggerId, integration, action, mode } = event.data;
      const key = keyOf(triggerId, integration, action);
      const author = mode === null ? null : authorOf(event.data);
      return {
        ...state,
        automationModes: withEntry(state.automationModes, key, mode),
        modeAuthors: withEntry(state.modeAuthors, key, author),
      };
    }
    case "ActionReviewed": {
      const { integration, action, definitionHash } = event.data;
      const reviewed = { ...state.reviewed, [keyOf(integration, action)]: definitionHash };
      return { ...state, reviewed };
    }
    case "ActionReviewWithdrawn": {
      const { integration, action } = event.data;
      return { ...state, reviewed: withEntry(state.reviewed, keyOf(integration, action), null) };
    }
    case "RiskOverridden": {
      const { integration, action, risk } = event.data;
      const key = keyOf(integration, action);
      const author = risk === null ? null : authorOf(event.data);
      return {
        ...state,
        risks: withEntry(state.risks, key, risk),
        riskAuthors: withEntry(state.riskAuthors, key, author),
      };
    }
    case "PolicyRuleSet": {
      const { ruleId, rule, by, at } = event.data;
      return { ...state, rules: withRule(state.rules, { id: ruleId, rule, by, at }) };
    }
    case "PolicyRuleRemoved":
      return { ...state, rules: state.rules.filter(({ id }) => id !== event.data.ruleId) };
    case "FullResultKeepingSet":
      return { ...state, keepsFullResults: event.data.keep };
    default:
      return assertNever(event);
  }
};

const authorOf = ({ by, at }: { readonly by: string | null; readonly at: string | null }) =>
  by === null || at === null ? null : { by, at };

/** With the value under the key, or without the key where the value is null. */
const withEntry = <T>(
  record: Readonly<Record<string, T>>,
  key: string,
  value: T | null,
): Readonly<Record<string, T>> => {
  const { [key]: _before, ...others } = record;
  return value === null ? others : { ...others, [key]: value };
};

const withRule = (rules: readonly StoredRule[], set: StoredRule): readonly StoredRule[] =>
  rules.some(({ id }) => id === set.id)
    ? rules.map((rule) => (rule.id === set.id ? set : rule))
    : [...rules, set];
