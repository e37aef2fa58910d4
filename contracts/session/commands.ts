/** The commands that a session decides on. Times and ids arrive in them; deciding is pure. */
import type { PromptId } from "../ids.ts";
import type { Repository } from "../repository.ts";
import type { Failure, PromptOutcome, SessionOrigin } from "./events.ts";
import type { SandboxWarning } from "./sandbox-warning.ts";

export type SessionCommand =
  | {
      readonly type: "CreateSession";
      readonly title: string;
      readonly origin: SessionOrigin;
      readonly repository: Repository | null;
      readonly model: string;
      readonly fingerprint: string;
      readonly prompt: {
        readonly promptId: PromptId;
        readonly text: string;
        readonly by: string;
      } | null;
    }
  | {
      readonly type: "QueuePrompt";
      readonly promptId: PromptId;
      readonly text: string;
      readonly by: string;
    }
  | { readonly type: "CancelPrompts" }
  | { readonly type: "AcquireOwnership"; readonly instance: string; readonly epoch: number }
  | { readonly type: "StartSandbox"; readonly epoch: number; readonly provider: string }
  | {
      readonly type: "ReportSandboxReady";
      readonly epoch: number;
      readonly sandboxId: string;
      readonly agentSessionId: string;
      readonly bootMs: number;
    }
  | {
      readonly type: "ReportSandboxWarning";
      readonly epoch: number;
      readonly warning: SandboxWarning;
    }
  | { readonly type: "ReportPutAway"; readonly epoch: number; readonly snapshotId: string }
  | { readonly type: "ReportSandboxFailed"; readonly epoch: number; readonly failure: Failure }
  | { readonly type: "StartPrompt"; readonly epoch: number; readonly promptId: PromptId }
  | {
      readonly type: "FinishPrompt";
      readonly epoch: number;
      readonly promptId: PromptId;
      readonly outcome: PromptOutcome;
      readonly failure: Failure | null;
    }
  | { readonly type: "RequestPause" }
  | { readonly type: "ReportPaused"; readonly epoch: number }
  | { readonly type: "RequestResume" }
  | { readonly type: "DeleteSession" };
