/**
 * Where agents run. A provider makes machines and ends them; the session's owner decides when.
 *
 * Nothing here assumes that a sandbox shares a file system, a network namespace or a lifetime with the
 * control plane. A provider keeps no state of its own that matters: any instance, in any process, finds
 * a sandbox again from its {@link SandboxRef}.
 *
 * Every method may throw a {@link SandboxProviderError}; its texts are free of secrets.
 */
import type { SessionId } from "#contracts/ids";
import type { SandboxCapabilities } from "./capabilities.ts";
import type { Argv, ExecOptions, ExecResult, SandboxFile } from "./exec.ts";
import type {
  RunningSandbox,
  SandboxCheck,
  SandboxHealth,
  SandboxRef,
  SandboxTunnels,
  TerminalSandbox,
} from "./sandbox.ts";
import type { ServiceCommand, ServiceCommandResult } from "./service-commands.ts";
import type { SandboxSpec, WorkspaceSpec } from "./spec.ts";

/**
 * The steps of the essential boot, in order. A sandbox that is still running takes none of them; one without
 * an agent launches its sidecar last, and is ready then.
 */
export type EssentialStage = "folder" | "clone" | "agent_files" | "launch" | "ready";

/** The steps that follow while the agent can work already, in order. None of them fails a sandbox. */
export type AdditionalStage =
  "git_identity" | "freshness" | "env_files" | "services" | "sidecar" | "service_commands";

export type BootStage = EssentialStage | AdditionalStage;

export interface StageReport {
  readonly stage: BootStage;
  /** How long the stage took. */
  readonly ms: number;
  /** `skipped`: there was nothing to do. */
  readonly outcome: "done" | "skipped" | "failed";
  /** Why it failed, for people, without secrets; null unless it has. */
  readonly detail: string | null;
}

export interface SandboxRequest<Spec extends WorkspaceSpec = SandboxSpec> extends SandboxRef {
  readonly spec: Spec;
  /** Calls the boot off; what it had started is ended. */
  readonly signal?: AbortSignal;
  readonly onStage?: (report: StageReport) => void;
  /** Of the stages that go on after the sandbox was handed out, until it is put away or ends. */
  readonly onAdditionalStage?: (report: StageReport) => void;
}

export interface MemoryRestoreRequest extends SandboxRequest {
  /** `mem:…` */
  readonly snapshotId: string;
}

export interface SnapshotEntry {
  readonly snapshotId: string;
  /** The session it was made from. */
  readonly sessionId: SessionId;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface SandboxProvider extends AsyncDisposable {
  /** Fixed per session: `local`, `e2b`, `modal`. */
  readonly type: string;
  readonly capabilities: SandboxCapabilities;

  /**
   * The session's running sandbox: the one that runs, else the paused one woken up, else one made from
   * the first that there is of `request.snapshotId`, `spec.snapshotId`, `spec.baseSnapshotId` and nothing.
   * What was asked for and could not be had stands in `warnings`.
   * @throws SandboxProviderError `sandbox_boot_failed` with the stage, after ending what it had started
   */
  ensureSandbox(request: SandboxRequest): Promise<RunningSandbox>;
  /** A new sandbox in place of whatever the session has, which is lost. Snapshots as in `ensureSandbox`. */
  createSandbox(request: SandboxRequest): Promise<RunningSandbox>;
  /**
   * Keeps the files of a running or paused sandbox, which is as it was afterwards, but for connections that
   * may have broken. A snapshot is a thing of its own: it stays until `deleteSnapshot` removes it, whatever
   * becomes of the sandbox and its session. Secrets that must not be kept are the caller's to remove before.
   * @returns the snapshot's id, which means nothing to other providers
   * @throws SandboxProviderError `sandbox_not_found`
   */
  snapshot(ref: SandboxRef): Promise<string>;
  /**
   * Puts a sandbox away and keeps its files. Pausing what is paused or absent does nothing.
   * @throws SandboxProviderError `sandbox_pause_unsupported` without the capability `pause`
   */
  pause(ref: SandboxRef): Promise<void>;
  /**
   * Another process goes on with the sandbox, which runs: closing this provider leaves it as it is. Makes
   * no call, and does nothing for what is not there.
   */
  handOver(ref: SandboxRef): void;
  /**
   * Ends everything and removes everything but snapshots: sandboxes of other sessions begin with those of
   * this one. Terminating what is absent does nothing.
   */
  terminate(ref: SandboxRef): Promise<void>;
  /**
   * Replaces the values that `proliferate env apply` takes before those of the environment. The file lies
   * outside the workspace and is the sandbox user's alone (0600).
   * @throws SandboxProviderError `sandbox_not_found`
   */
  writeEnvFile(ref: SandboxRef, values: Readonly<Record<string, string>>): Promise<void>;
  /** How the sandbox is, without touching it: a paused one stays paused. */
  health(ref: SandboxRef): Promise<SandboxHealth>;

  /**
   * How sandboxes are, without touching them: each of `refs` in their order, or without `refs` all that
   * are there, in any order.
   */
  checkSandboxes?(refs?: readonly SandboxRef[]): Promise<readonly SandboxCheck[]>;
  /** @throws SandboxProviderError `sandbox_not_found` unless it is running */
  resolveTunnels?(ref: SandboxRef): Promise<SandboxTunnels>;
  /**
   * @param paths absolute, or relative to the workspace
   * @throws SandboxProviderError `sandbox_not_found` unless it is running
   */
  readFiles?(ref: SandboxRef, paths: readonly string[]): Promise<readonly SandboxFile[]>;
  /** @throws SandboxProviderError `sandbox_not_found` unless it is running */
  execCommand?(ref: SandboxRef, argv: Argv, options?: ExecOptions): Promise<ExecResult>;
  /** @returns an id that begins with `mem:` */
  memorySnapshot?(ref: SandboxRef): Promise<string>;
  /** Resolves once the agent answers. */
  restoreFromMemorySnapshot?(request: MemoryRestoreRequest): Promise<RunningSandbox>;
  listSnapshots?(): Promise<readonly SnapshotEntry[]>;
  /**
   * Of one that `snapshot` has made; a session whose own it is has lost its files. Removing what is absent
   * does nothing. With the capability `snapshotHeld` it fails while a sandbox that began with it is there.
   */
  deleteSnapshot?(snapshotId: string): Promise<void>;
  /**
   * A sandbox without an agent, for somebody's own terminal: workspace, sidecar and what follows from it, in
   * place of whatever the session has, which is lost. It is put away, kept and ended like any other, and
   * `ensureSandbox` starts an agent in it.
   * @throws SandboxProviderError `sandbox_boot_failed` with the stage, after ending what it had started
   */
  createTerminalSandbox?(request: SandboxRequest<WorkspaceSpec>): Promise<TerminalSandbox>;
  /** Tries commands that are to start a project's services, one after the other. */
  testServiceCommands?(
    ref: SandboxRef,
    commands: readonly ServiceCommand[],
  ): Promise<readonly ServiceCommandResult[]>;
}
