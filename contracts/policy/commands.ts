import type { RuleId, TriggerId } from "../ids.ts";
import type { ActionMode, RiskLevel } from "./mode.ts";
import type { PolicyRule } from "./rules.ts";

interface NamedAction {
  readonly integration: string;
  readonly action: string;
}

interface Reviewing {
  /** The hash of the definition that was looked at; null if nobody could look. */
  readonly definitionHash: string | null;
}

interface Authored {
  /** Who decides so. */
  readonly by: string;
  /** ISO instant. */
  readonly at: string;
}

export type PolicyCommand =
  | ({ readonly type: "SetActionMode"; readonly mode: ActionMode } & NamedAction &
      Authored &
      Reviewing)
  /** Takes the organisation's mode back: what then happens follows from the risk. */
  | ({ readonly type: "ClearActionMode" } & NamedAction)
  | ({
      readonly type: "SetAutomationMode";
      readonly triggerId: TriggerId;
      /** Null to follow the organisation again. */
      readonly mode: ActionMode | null;
    } & NamedAction &
      Authored &
      Reviewing)
  | ({
      readonly type: "OverrideRisk";
      readonly integration: string;
      /** Null for the whole integration. */
      readonly action: string | null;
      readonly risk: RiskLevel | null;
    } & Authored)
  | ({
      readonly type: "SetRule";
      readonly ruleId: RuleId;
      readonly rule: PolicyRule;
    } & Authored &
      Reviewing)
  | { readonly type: "RemoveRule"; readonly ruleId: RuleId }
  | { readonly type: "SetFullResultKeeping"; readonly keep: boolean };
