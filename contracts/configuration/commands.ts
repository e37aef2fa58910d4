import type { SessionId, UserId } from "../ids.ts";
import type { ServiceCommand } from "../session/service-command.ts";
import type { ConfigurationSettings, ConfigurationSnapshot, StoredSnapshot } from "./settings.ts";

type Described = ConfigurationSettings & { readonly name: string };

/** What is not named stays. */
export type ConfigurationChanges = { readonly [K in keyof Described]?: Described[K] | undefined };

export type ConfigurationCommand =
  | {
      readonly type: "CreateConfiguration";
      readonly name: string;
      readonly settings: ConfigurationSettings;
      readonly createdBy: UserId;
      readonly fingerprint: string;
    }
  | { readonly type: "ChangeConfiguration"; readonly changes: ConfigurationChanges }
  /** `workspaceRevision`: of the configuration as the session was made from it. */
  | {
      readonly type: "StartSetup";
      readonly sessionId: SessionId;
      readonly workspaceRevision: number;
    }
  | {
      readonly type: "SaveSetupServices";
      readonly sessionId: SessionId;
      readonly serviceCommands: readonly ServiceCommand[];
    }
  | {
      readonly type: "SaveSetupSnapshot";
      readonly sessionId: SessionId;
      readonly snapshot: ConfigurationSnapshot;
    }
  | { readonly type: "EndSetup"; readonly sessionId: SessionId }
  /** `snapshots`: all that the setup session has taken; those that count stay. */
  | {
      readonly type: "LeaveSnapshots";
      readonly sessionId: SessionId;
      readonly snapshots: readonly StoredSnapshot[];
    }
  /** A snapshot that is none of the former ones is not touched. */
  | { readonly type: "DiscardSnapshot"; readonly snapshotId: string }
  | { readonly type: "ArchiveConfiguration" };
