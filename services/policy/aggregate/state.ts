import type { RuleId } from "#contracts/ids";
import type { ActionMode, RiskLevel } from "#contracts/policy/mode";
import type { PolicyRule } from "#contracts/policy/rules";

export interface StoredRule {
  readonly id: RuleId;
  readonly rule: PolicyRule;
  /** Who set it last, and when. */
  readonly by: string;
  readonly at: string;
}

interface DecisionAuthor {
  readonly by: string;
  readonly at: string;
}

/** What an organisation has decided. The keys are those of {@link keyOf}. */
export interface PolicyState {
  /** By integration and action; an action that is not in it has no mode of its own. */
  readonly modes: Readonly<Record<string, ActionMode>>;
  /** By trigger, integration and action. */
  readonly automationModes: Readonly<Record<string, ActionMode>>;
  /** Whose decision a mode of either kind is, under the key of the mode; without those from before it was kept. */
  readonly modeAuthors: Readonly<Record<string, DecisionAuthor>>;
  /** The hash of the definition that somebody let run unasked, by integration and action. */
  readonly reviewed: Readonly<Record<string, string>>;
  /** By integration and action; under the action null, that of the whole integration. */
  readonly risks: Readonly<Record<string, RiskLevel>>;
  /** Whose decision a risk is, under its key; without those from before it was kept. */
  readonly riskAuthors: Readonly<Record<string, DecisionAuthor>>;
  /** In the order in which they were first set. */
  readonly rules: readonly StoredRule[];
  /** Whether results that are too long for the log are kept whole beside it, for a while. */
  readonly keepsFullResults: boolean;
}

/** Names may hold any character, so a plain separator would let two actions share a key. */
export const keyOf = (...names: readonly (string | null)[]): string => JSON.stringify(names);
