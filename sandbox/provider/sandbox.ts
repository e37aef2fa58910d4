/** A sandbox as the control plane sees it: how it is found, how it is reached, and how it is. */
import type { SessionId } from "#contracts/ids";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";

/**
 * How a sandbox is found. Providers go by different things: a name made of the session's id, an id of
 * their own that the session has stored, or a folder.
 */
export interface SandboxRef {
  readonly sessionId: SessionId;
  /**
   * Which of the session's sandboxes, 0 by default. A session that moves has two side by side for a while,
   * of which each method means the one of this generation. Providers whose sandboxes never end by
   * themselves are asked for no other than the first, and may ignore it.
   */
  readonly generation?: number;
  /**
   * As `ensureSandbox` told it last; null when nobody has been told. A sandbox may be there all the same,
   * made by an owner that died at it: a provider that can looks for one of this session then.
   */
  readonly sandboxId: string | null;
  /** The snapshot that the session's own work was put away in last; null when there is none. */
  readonly snapshotId: string | null;
}

/**
 * Where the ports of a sandbox are reached from outside, as base URLs without a slash at the end. Good
 * until it is paused or ends. What listens there is another question: the preview proxy starts after the agent.
 */
export interface SandboxTunnels {
  readonly opencode: string;
  readonly preview: string;
  /** The sidecar's API: through the preview's proxy, or at a port of its own where that is reached. */
  readonly sidecar: string;
  /** Null where the provider offers none. */
  readonly ssh: { readonly host: string; readonly port: number } | null;
}

/**
 * - `attached`: it was running, perhaps in the middle of a turn
 * - `resumed`: it was paused
 * - `restored`: it was made from a snapshot
 * - `created`: it was made from nothing
 */
export type SandboxOrigin = "attached" | "resumed" | "restored" | "created";

/** Good until the sandbox is paused or terminated, by whomever. */
export interface RunningSandbox {
  readonly sessionId: SessionId;
  readonly sandboxId: string;
  readonly origin: SandboxOrigin;
  /** What was asked for and could not be had. */
  readonly warnings: readonly SandboxWarning[];
  /** The agent's working folder, as an absolute path inside. */
  readonly workspace: string;
  /** The agent's server; `authorization` is the whole header value. */
  readonly opencode: { readonly baseUrl: string; readonly authorization: string };
  readonly tunnels: SandboxTunnels;
  /**
   * Milliseconds since 1970 when the provider ends it by itself; null: never. Who names a time can have
   * the session's next generation run beside this one before.
   */
  readonly expiresAt: number | null;
}

export type SandboxState = "running" | "paused" | "gone";

export interface SandboxCheck {
  readonly sessionId: SessionId;
  readonly sandboxId: string;
  readonly state: SandboxState;
}

export interface SandboxHealth {
  readonly state: SandboxState;
  /** Whether the agent's server answers; false unless the sandbox runs. */
  readonly agent: boolean;
  /** Why it is not well, for people; null when it is. */
  readonly detail: string | null;
}
