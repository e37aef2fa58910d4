/** What a sandbox is told: about its workspace, and about the agent in it. */
import type { Repository } from "#contracts/repository";
import type { SessionKind } from "#contracts/session/kind";
import type { ServiceCommand } from "#contracts/session/service-command";
import type { FreshnessPolicy } from "../boot/additional/freshness-policy.ts";

/** The model that the agent may use, with a key of the sandbox's own: the agent can read it. */
export interface ModelAccess {
  /** As the agent names it: `provider/model`, e.g. `anthropic/claude-sonnet-4-6`. */
  readonly model: string;
  /** For titles and summaries; the same provider. */
  readonly smallModel: string;
  /** Base URL including the version (`https://…/v1`); null for the provider's public one. */
  readonly baseUrl: string | null;
  readonly apiKey: string;
}

/**
 * By the name of a tool, or `*` for every tool that is not named: whether it asks before it runs. `bash`
 * has an entry of its own whenever `*` has one.
 */
export type ToolPermissions = Readonly<Record<string, "allow" | "ask">>;

/** Used for git's own requests only, and not left behind in the sandbox. */
export interface GitCredential {
  readonly username: string;
  readonly password: string;
}

export interface RepositorySpec extends Repository {
  /** Where it lies in the workspace, with `/`: `.` is the workspace itself, the usual place of a single one. */
  readonly path: string;
  readonly credential?: GitCredential;
}

/** What a sandbox has to know with or without an agent in it. The only secrets in it are the sandbox's own. */
export interface WorkspaceSpec {
  /** None: an empty workspace under git. */
  readonly repositories: readonly RepositorySpec[];
  /** A snapshot with the workspace of a configuration in it, with which a new sandbox begins. */
  readonly snapshotId?: string;
  /** A snapshot without a workspace, with the programs only; used when there is no other. */
  readonly baseSnapshotId?: string;
  /** Where the `proliferate` command inside calls, and as whom. */
  readonly gateway: { readonly url: string; readonly token: string };
  /** In whose name commits are made. */
  readonly gitIdentity?: { readonly name: string; readonly email: string };
  /** Whether repositories are pulled when a sandbox comes back; never without it. */
  readonly freshness?: FreshnessPolicy;
  /** Which files with environment variables there are, for `proliferate env apply`; kept as JSON. */
  readonly envFiles?: unknown;
  /** What is started in a workspace that was there before. */
  readonly serviceCommands?: readonly ServiceCommand[];
  /**
   * Where the project's own servers listen, the one to show first: the preview tries these while no port is
   * exposed. The usual ones without any.
   */
  readonly ports?: readonly number[];
  /** More environment for everything that runs inside. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** All that a sandbox has to know to become one session's workplace. */
export interface SandboxSpec extends WorkspaceSpec {
  readonly model: ModelAccess;
  /** Which tools the agent has; those of a coding session by default. */
  readonly kind?: SessionKind;
  /** Which of the agent's tools ask before they run; none without it. */
  readonly toolPermissions?: ToolPermissions;
  /** What the agent is told about its place and its task. */
  readonly instructions: string;
}
