/** The commands that a session decides on. Times and ids arrive in them; deciding is pure. */
import type { PromptId, SessionId, UserId } from "../ids.ts";
import type { WorkspaceRepository } from "../repository.ts";
import type { Failure, PromptOutcome, SessionOrigin } from "./events.ts";
import type { AppliedConfiguration } from "./applied-configuration.ts";
import type { ValidatedConnections } from "./connections.ts";
import type { EnvVariableRequest } from "./env-request.ts";
import type { SessionKind } from "./kind.ts";
import type { ServiceCommand } from "./service-command.ts";
import type { SandboxWarning } from "./sandbox-warning.ts";
import type { TriedService } from "./service-trial.ts";

export type SessionCommand =
  | {
      readonly type: "CreateSession";
      readonly title: string;
      readonly origin: SessionOrigin;
      readonly kind: SessionKind;
      readonly repositories: readonly WorkspaceRepository[];
      readonly model: string;
      readonly systemPrompt: string | null;
      readonly fingerprint: string;
      /** Null for a session of no configuration. */
      readonly configuration: AppliedConfiguration | null;
      readonly parentId: SessionId | null;
      /** Null where none were named: it has all of the organisation's, also those to come. */
      readonly connections: ValidatedConnections | null;
      /** Whether its sandbox waits until somebody asks for it; a prompt asks for it. */
      readonly deferred: boolean;
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
  | { readonly type: "ChangePrompt"; readonly promptId: PromptId; readonly text: string }
  | { readonly type: "WithdrawPrompt"; readonly promptId: PromptId }
  | { readonly type: "CancelPrompts" }
  | { readonly type: "RenameSession"; readonly title: string }
  | { readonly type: "AcquireOwnership"; readonly instance: string; readonly epoch: number }
  | { readonly type: "StartSandbox"; readonly epoch: number; readonly provider: string }
  | {
      readonly type: "ReportSandboxReady";
      readonly epoch: number;
      readonly sandboxId: string;
      readonly agentSessionId: string;
      readonly bootMs: number;
      /** ISO 8601 in UTC, when the provider ends it by itself; null: never. */
      readonly expiresAt: string | null;
    }
  /** `sandboxId`: whose time is nearly up. */
  | { readonly type: "RequestMigration"; readonly sandboxId: string }
  | {
      readonly type: "StartMigration";
      readonly epoch: number;
      readonly generation: number;
      readonly snapshotId: string;
    }
  | { readonly type: "ReportMigrationFailed"; readonly epoch: number; readonly failure: Failure }
  | {
      readonly type: "ReportMigrated";
      readonly epoch: number;
      readonly generation: number;
      readonly sandboxId: string;
      readonly expiresAt: string | null;
    }
  | { readonly type: "ReportSpareEnded"; readonly epoch: number; readonly generation: number }
  | {
      readonly type: "ReportSandboxWarning";
      readonly epoch: number;
      readonly warning: SandboxWarning;
    }
  | { readonly type: "ReportPutAway"; readonly epoch: number; readonly snapshotId: string }
  | { readonly type: "ReportStartFailed"; readonly epoch: number; readonly failure: Failure }
  | { readonly type: "ReportSandboxFailed"; readonly epoch: number; readonly failure: Failure }
  | { readonly type: "StartPrompt"; readonly epoch: number; readonly promptId: PromptId }
  | {
      readonly type: "FinishPrompt";
      readonly epoch: number;
      readonly promptId: PromptId;
      readonly outcome: PromptOutcome;
      readonly failure: Failure | null;
    }
  | { readonly type: "SaveServiceCommands"; readonly commands: readonly ServiceCommand[] }
  | {
      readonly type: "RequestEnvVariables";
      readonly requestId: string;
      readonly keys: readonly EnvVariableRequest[];
    }
  /** The values are kept already. */
  | {
      readonly type: "ProvideEnvVariables";
      readonly names: readonly string[];
      readonly by: UserId;
    }
  | {
      readonly type: "RequestSnapshot";
      readonly requestId: string;
      readonly message: string | null;
    }
  | {
      readonly type: "ReportSnapshotTaken";
      readonly epoch: number;
      readonly requestId: string;
      readonly snapshotId: string;
    }
  | {
      readonly type: "ReportSnapshotFailed";
      readonly epoch: number;
      readonly requestId: string;
      readonly failure: Failure;
    }
  | { readonly type: "RequestServiceTrial"; readonly requestId: string }
  | {
      readonly type: "ReportServicesTried";
      readonly epoch: number;
      readonly requestId: string;
      readonly services: readonly TriedService[];
      readonly failure: Failure | null;
    }
  | {
      readonly type: "RecordPullRequest";
      readonly repository: string;
      readonly number: number;
      readonly url: string;
    }
  | { readonly type: "RequestPause" }
  /** `after`: the newest prompt that was answered when the session was found idle. */
  | { readonly type: "RequestIdlePause"; readonly after: PromptId | null }
  | { readonly type: "ReportIdlePauseFailed"; readonly epoch: number; readonly failure: Failure }
  | { readonly type: "ReportIdleSandboxEnded"; readonly epoch: number; readonly failure: Failure }
  | { readonly type: "ReportPaused"; readonly epoch: number }
  | { readonly type: "RequestResume" }
  | { readonly type: "SetAutoDelete"; readonly days: number | null }
  /** `erase`: what was written in it is erased as well. */
  | { readonly type: "DeleteSession"; readonly erase?: boolean };
