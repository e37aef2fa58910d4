/**
 * Where agents run. A provider makes machines and ends them; the session's owner decides when.
 *
 * Nothing here assumes that a sandbox shares a file system, a network namespace or a lifetime with the
 * control plane: files and processes are reached through the sandbox, and the agent's server by URL.
 * A provider keeps no state of its own that matters: after a crash, `find`, `list` and `ensure` tell the
 * truth from what is really there.
 */
import type { Repository } from "#contracts/repository";
import type { SessionId } from "#contracts/ids";

/** What a provider can do beyond the minimum; callers branch on these, never on its name. */
interface SandboxCapabilities {
  /** `pause` keeps the files and a later `ensure` goes on with them. Without it, pausing loses them. */
  readonly pause: boolean;
  /** The provider pauses an idle sandbox by itself. */
  readonly autoPause: boolean;
  /** Processes survive a snapshot, not only files. */
  readonly memorySnapshot: boolean;
  /** What the agent runs cannot see the rest of the machine it runs on. */
  readonly isolated: boolean;
}

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

interface GitCredential {
  readonly username: string;
  readonly password: string;
}

/** All that a sandbox has to know. The only secrets in it are the sandbox's own. */
export interface SandboxSpec {
  /** Null: an empty workspace under git. */
  readonly repository: Repository | null;
  /** Used for the clone only, and not left behind in the sandbox. */
  readonly gitCredential?: GitCredential;
  /** Where the `proliferate` command inside calls, and as whom. */
  readonly gateway: { readonly url: string; readonly token: string };
  readonly model: ModelAccess;
  /** What the agent is told about its place and its task. */
  readonly instructions: string;
  /** More environment for everything that runs inside. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The steps of the essential boot, in order. A sandbox that is still running takes none of them. */
export type BootStage = "folder" | "clone" | "agent_files" | "launch" | "ready";

export interface StageReport {
  readonly stage: BootStage;
  /** How long the stage took. */
  readonly ms: number;
}

export interface EnsureRequest {
  readonly sessionId: SessionId;
  readonly spec: SandboxSpec;
  readonly signal?: AbortSignal;
  readonly onStage?: (report: StageReport) => void;
}

export interface ExecOptions {
  /** An absolute path inside; the workspace by default. */
  readonly cwd?: string;
  /** Added to the sandbox's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Milliseconds; 120,000 by default. */
  readonly timeoutMs?: number;
  /** Kept per stream; what comes after is dropped. 1 MiB by default. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  /** Null when a signal ended the command, among others after a timeout. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

export interface SandboxFiles {
  /** @throws DomainError `sandbox_unavailable` when the file cannot be read */
  read(path: string): Promise<Uint8Array>;
  /** Replaces the file as a whole and makes the folders above it. `mode` is octal permissions, 0o644 by default. */
  write(
    path: string,
    content: string | Uint8Array,
    options?: { readonly mode?: number },
  ): Promise<void>;
  exists(path: string): Promise<boolean>;
}

interface SandboxIdentity {
  readonly id: string;
  readonly sessionId: SessionId;
}

interface PausedSandbox extends SandboxIdentity {
  readonly state: "paused";
}

/** Good until the sandbox is paused or destroyed, by whomever. */
export interface RunningSandbox extends SandboxIdentity {
  readonly state: "running";
  /** Whether this `ensure` made it, woke it, or found it running (perhaps in the middle of a turn). */
  readonly origin: "created" | "resumed" | "attached";
  /** The agent's working folder, as an absolute path inside. */
  readonly workspace: string;
  /** The agent's server; `authorization` is the whole header value. */
  readonly opencode: { readonly baseUrl: string; readonly authorization: string };
  /** Runs a program without a shell, for at most `timeoutMs`. */
  exec(argv: readonly [string, ...string[]], options?: ExecOptions): Promise<ExecResult>;
  readonly files: SandboxFiles;
}

export type Sandbox = PausedSandbox | RunningSandbox;

export interface SandboxProvider {
  readonly name: string;
  readonly capabilities: SandboxCapabilities;
  /**
   * The session's running sandbox: the one that runs, or the paused one woken up, or a new one.
   * @throws DomainError `sandbox_boot_failed` with the stage, after ending what it had started
   */
  ensure(request: EnsureRequest): Promise<RunningSandbox>;
  /** What is there, without touching it; null if there is nothing. */
  find(sessionId: SessionId): Promise<Sandbox | null>;
  /** All sandboxes of this provider, without touching them. */
  list(): Promise<readonly { readonly sessionId: SessionId; readonly state: Sandbox["state"] }[]>;
  /** Ends every process and keeps the files. Pausing what is paused or absent does nothing. */
  pause(sessionId: SessionId): Promise<void>;
  /** Ends everything and removes everything. Destroying what is absent does nothing. */
  destroy(sessionId: SessionId): Promise<void>;
}
