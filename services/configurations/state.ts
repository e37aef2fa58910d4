/** What a configuration remembers to decide on its commands, and what sessions are made from. Plain JSON. */
import type {
  ConfigurationSettings,
  ConfigurationSnapshot,
  StoredSnapshot,
} from "#contracts/configuration/settings";
import type { SetupStatus } from "#contracts/configuration/view";
import type { SessionId } from "#contracts/ids";

interface ConfigurationFacts {
  readonly name: string;
  readonly settings: ConfigurationSettings;
  /** Of the request that created it. */
  readonly fingerprint: string;
  /** Counts up with each change of the repositories, from 1 on. */
  readonly workspaceRevision: number;
  readonly setup: { readonly status: SetupStatus; readonly sessionId: SessionId | null };
  /** The setup sessions that were started, so that a late word of an older one changes nothing. */
  readonly setupSessions: readonly SessionId[];
  readonly snapshot: ConfigurationSnapshot | null;
  /** Nothing new begins with them, and sessions that exist may need them still. */
  readonly formerSnapshots: readonly StoredSnapshot[];
  /** The ids of those that were given up, the newest last; see `rememberedDiscards`. */
  readonly discarded: readonly string[];
}

export type ExistingConfiguration = ConfigurationFacts & {
  readonly status: "active" | "archived";
};

export type ConfigurationState = { readonly status: "none" } | ExistingConfiguration;

/** How many setup sessions are remembered. One as old as that has said its last word long ago. */
export const rememberedSetups = 50;

/** How many snapshots that were given up are remembered, so that a late word brings none of them back. */
export const rememberedDiscards = 50;

/** The settings alone, without what stands beside them in an event. */
export const settingsOf = ({
  repositories,
  serviceCommands,
  envFiles,
  previewPorts,
}: ConfigurationSettings): ConfigurationSettings => ({
  repositories,
  serviceCommands,
  envFiles,
  previewPorts,
});
