/**
 * What the boot needs of a machine. A provider implements this once, and every provider boots the same way.
 */
import type { ExecOptions, ExecResult, SandboxFiles } from "../provider.ts";

export interface AgentServerLaunch {
  readonly env: Readonly<Record<string, string>>;
}

/** The agent's server as a process. */
export interface AgentServer {
  readonly baseUrl: string;
  /** Whether the process still lives; false as soon as it has ended. */
  running(): Promise<boolean>;
  /** The end of what it printed, for an error message. */
  logTail(): Promise<string>;
  stop(): Promise<void>;
}

export interface Machine<Server extends AgentServer = AgentServer> {
  /** Absolute paths inside. */
  readonly home: string;
  readonly workspace: string;
  readonly files: SandboxFiles;
  /** Makes the folders `home` and `workspace`. Running it again changes nothing. */
  prepare(): Promise<void>;
  exec(argv: readonly [string, ...string[]], options?: ExecOptions): Promise<ExecResult>;
  /** Starts `opencode serve` in the workspace on a port of the machine's choice; does not wait for it. */
  launch(launch: AgentServerLaunch): Promise<Server>;
}
