/** What somebody had in mind when they let an action run unasked: kept for as long as anything lets it. Pure. */
import type { PolicyEvent } from "#contracts/policy/events";
import { evolve } from "./evolve.ts";
import { keyOf, type PolicyState } from "./state.ts";

interface NamedAction {
  readonly integration: string;
  readonly action: string;
}

/** To let an action run unasked is to have looked at it as it is now. */
export const review = (
  {
    integration,
    action,
    definitionHash,
  }: NamedAction & {
    /** Null if nobody could look. */
    readonly definitionHash: string | null;
  },
  allows: boolean,
  state: PolicyState,
): readonly PolicyEvent[] =>
  !allows ||
  definitionHash === null ||
  state.reviewed[keyOf(integration, action)] === definitionHash
    ? []
    : [{ type: "ActionReviewed", data: { integration, action, definitionHash } }];

/**
 * Where something was taken back, and nothing else lets the action run by its name: there is nothing left that
 * it could have drifted from, and an action that runs by its risk alone must not wait for a review of old.
 */
export const withReviewWithdrawn = (
  taken: readonly PolicyEvent[],
  { integration, action }: NamedAction,
  state: PolicyState,
): readonly PolicyEvent[] => {
  const left = taken.reduce(evolve, state);
  const isReviewed = left.reviewed[keyOf(integration, action)] !== undefined;
  return isReviewed && !isAllowedByName({ integration, action }, left)
    ? [...taken, { type: "ActionReviewWithdrawn", data: { integration, action } }]
    : taken;
};

const isAllowedByName = (
  { integration, action }: NamedAction,
  { modes, automationModes, rules }: PolicyState,
): boolean =>
  modes[keyOf(integration, action)] === "allow" ||
  Object.entries(automationModes).some(([key, mode]) => {
    const [, ...named] = JSON.parse(key) as [string, string, string];
    return mode === "allow" && keyOf(...named) === keyOf(integration, action);
  }) ||
  rules.some(
    ({ rule }) =>
      rule.mode === "allow" && rule.integration === integration && rule.action === action,
  );
