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

export type PolicyCommand =
  | ({ readonly type: "SetActionMode"; readonly mode: ActionMode } & NamedAction & Reviewing)
  /** Takes the organisation's mode back: what then happens follows from the risk. */
  | ({ readonly type: "ClearActionMode" } & NamedAction)
  | ({
      readonly type: "SetAutomationMode";
      readonly triggerId: TriggerId;
      /** Null to follow the organisation again. */
      readonly mode: ActionMode | null;
    } & NamedAction &
      Reviewing)
  | {
      readonly type: "OverrideRisk";
      readonly integration: string;
      /** Null for the whole integration. */
      readonly action: string | null;
      readonly risk: RiskLevel | null;
    }
  | ({
      readonly type: "SetRule";
      readonly ruleId: RuleId;
      readonly rule: PolicyRule;
      readonly by: string;
      readonly at: string;
    } & Reviewing)
  | { readonly type: "RemoveRule"; readonly ruleId: RuleId }
  | { readonly type: "SetFullResultKeeping"; readonly keep: boolean };
