import type { RuleId, SessionId } from "../ids.ts";
import type { ActionMode } from "../policy/events.ts";
import type { Failure } from "../session/events.ts";
import type { ModeSource, RiskLevel } from "./events.ts";
import type { FullResult } from "./full-result.ts";

export type InvocationCommand =
  | {
      readonly type: "InvokeAction";
      readonly sessionId: SessionId;
      readonly integration: string;
      readonly action: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly risk: RiskLevel;
      readonly mode: ActionMode;
      readonly modeSource: ModeSource;
      readonly ruleId: RuleId | null;
      readonly drifted: boolean;
      readonly expiresAt: string | null;
      readonly fingerprint: string;
    }
  | {
      readonly type: "ApproveAction";
      readonly by: string;
      readonly scope: "once" | "always";
      readonly editedParams: Readonly<Record<string, unknown>> | null;
      readonly now: string;
    }
  | {
      readonly type: "DenyAction";
      readonly by: string;
      readonly reason: string;
      readonly now: string;
    }
  | { readonly type: "ExpireAction"; readonly now: string }
  | { readonly type: "StartExecution" }
  | { readonly type: "RetryExecution" }
  | {
      readonly type: "CompleteAction";
      readonly result: unknown;
      readonly truncated: boolean;
      readonly fullResult: FullResult | null;
      readonly durationMs: number;
    }
  | { readonly type: "FailAction"; readonly failure: Failure }
  | { readonly type: "LoseOutcome"; readonly reason: string }
  | { readonly type: "ReadFullResult"; readonly by: string; readonly now: string };
