/**
 * Sandboxes on this computer: a folder and a set of processes each, fenced by bubblewrap where it works.
 *
 * All state is in the folders and the process table, so another provider on the same data folder (after a
 * crash, or in a second process that has taken the session over) finds what this one has left.
 */
import { access, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { DomainError } from "#contracts/errors";
import { idSchema, type SessionId } from "#contracts/ids";
import { bootEssentials } from "../../boot/essentials.ts";
import { workspaceMarker } from "../../boot/workspace.ts";
import { findOpencodeBinary } from "../../opencode/binary.ts";
import { opencodeAuthorization } from "../../opencode/config.ts";
import type {
  EnsureRequest,
  RunningSandbox,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from "../../provider.ts";
import { probeIsolation, type Isolation, type IsolationChoice } from "./isolation.ts";
import { layoutOf, sandboxesFolder, type Layout } from "./layout.ts";
import { localMachine, type LocalMachine } from "./machine.ts";
import { endSandboxProcesses, isSameProcess } from "./processes.ts";
import { readablePaths, searchPath } from "./readable-paths.ts";
import { readRunRecord, writeRunRecord, type RunRecord } from "./run-record.ts";
import { answers, endLimits, stopServer } from "./server-lifetime.ts";
import { sessionLocks } from "./session-locks.ts";
import { settingsFingerprint } from "./settings-fingerprint.ts";

export interface LocalProviderOptions {
  /** Sandboxes live below it, in `sandboxes/<session>`. */
  readonly dataDir: string;
  readonly isolation: IsolationChoice;
  /**
   * Whether a session may clone a folder of this computer. Refuse it wherever the people who create
   * sessions may not read the computer's files.
   */
  readonly localRepositories: "allow" | "refuse";
  /** Name or path of bubblewrap; `bwrap` by default. */
  readonly bubblewrap?: string;
}

export interface LocalProvider extends SandboxProvider, AsyncDisposable {
  readonly isolation: Isolation;
  /** Pauses the sandboxes that this provider has handed out. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** @throws DomainError `prerequisite_missing` without OpenCode, /proc, or a demanded bubblewrap */
export const openLocalProvider = async (options: LocalProviderOptions): Promise<LocalProvider> => {
  if (process.platform !== "linux") {
    throw new DomainError("prerequisite_missing", "Local sandboxes need Linux.");
  }
  const opencodeBinary = await findOpencodeBinary();
  const isolation = await probeIsolation({
    choice: options.isolation,
    command: options.bubblewrap ?? "bwrap",
    searchPath: searchPath(),
  });
  const exclusively = sessionLocks();
  const closing = new AbortController();
  const handedOut = new Set<SessionId>();

  const machineOf = (layout: Layout, spec: SandboxSpec | null): LocalMachine =>
    localMachine({
      layout,
      isolation,
      opencodeBinary,
      readable: readablePaths(opencodeBinary, spec?.repository?.url ?? null),
      environment: spec?.environment ?? {},
      searchPath: searchPath(),
      endProcesses: () => endSandboxProcesses(layout.id, endLimits),
    });

  const ensure = async (request: EnsureRequest): Promise<RunningSandbox> => {
    const { sessionId, spec } = request;
    refuseLocalRepository(options, spec);
    const layout = layoutOf(options.dataDir, sessionId);
    const machine = machineOf(layout, spec);
    const signal = AbortSignal.any([closing.signal, ...(request.signal ? [request.signal] : [])]);
    const settings = settingsFingerprint(spec, opencodeBinary);
    const running = await readRunRecord(layout);
    if (running?.settings === settings && (await answers(running, signal))) {
      return runningSandbox({ layout, machine, sessionId, record: running, origin: "attached" });
    }
    await stopServer(layout);
    const origin = (await exists(workspaceMarker(layout))) ? "resumed" : "created";
    const { server, password } = await bootEssentials({
      machine,
      sessionId,
      spec,
      signal,
      onStage: request.onStage,
    });
    const { baseUrl } = server;
    const record: RunRecord = { version: 1, ...server.process, baseUrl, password, settings };
    await writeRunRecord(layout, record);
    return runningSandbox({ layout, machine, sessionId, record, origin });
  };

  const find = async (sessionId: SessionId): Promise<Sandbox | null> => {
    const layout = layoutOf(options.dataDir, sessionId);
    if (!(await exists(layout.root))) return null;
    const record = await readRunRecord(layout);
    if (record === null || !(await isSameProcess(record)))
      return { id: layout.id, sessionId, state: "paused" };
    const machine = machineOf(layout, null);
    return runningSandbox({ layout, machine, sessionId, record, origin: "attached" });
  };

  const pause = (sessionId: SessionId): Promise<void> =>
    exclusively(sessionId, async () => {
      handedOut.delete(sessionId);
      await stopServer(layoutOf(options.dataDir, sessionId));
    });

  const list = async () => {
    const names = await readdir(sandboxesFolder(options.dataDir)).catch(() => []); // No folder: no sandboxes.
    const sessionIds = names.flatMap((name) => idSchema("session").safeParse(name).data ?? []);
    const found = await Promise.all(sessionIds.map(find));
    return found.flatMap((sandbox) =>
      sandbox === null ? [] : [{ sessionId: sandbox.sessionId, state: sandbox.state }],
    );
  };

  return {
    name: "local",
    isolation,
    capabilities: {
      pause: true,
      autoPause: false,
      memorySnapshot: false,
      isolated: isolation.kind === "bubblewrap",
    },
    ensure: (request) =>
      exclusively(request.sessionId, async () => {
        handedOut.add(request.sessionId);
        return ensure(request);
      }),
    find,
    list,
    pause,
    destroy: (sessionId) =>
      exclusively(sessionId, async () => {
        handedOut.delete(sessionId);
        const layout = layoutOf(options.dataDir, sessionId);
        await stopServer(layout);
        // The mark of a filled workspace goes first: a removal that is cut off leaves nothing to resume.
        await rm(workspaceMarker(layout), { force: true });
        await rm(layout.root, { recursive: true, force: true, maxRetries: 5 });
      }),
    [Symbol.asyncDispose]: async () => {
      closing.abort(new DomainError("sandbox_unavailable", "The sandbox provider is closing."));
      await Promise.all([...handedOut].map(pause));
    },
  };
};

interface RunningParts {
  readonly layout: Layout;
  readonly machine: LocalMachine;
  readonly sessionId: SessionId;
  readonly record: RunRecord;
  readonly origin: RunningSandbox["origin"];
}

const runningSandbox = ({
  layout,
  machine,
  sessionId,
  record,
  origin,
}: RunningParts): RunningSandbox => ({
  id: layout.id,
  sessionId,
  state: "running",
  origin,
  workspace: machine.workspace,
  opencode: { baseUrl: record.baseUrl, authorization: opencodeAuthorization(record.password) },
  exec: machine.exec,
  files: machine.files,
});

const refuseLocalRepository = (
  options: LocalProviderOptions,
  { repository }: SandboxSpec,
): void => {
  if (options.localRepositories === "allow" || repository === null) return;
  if (/^(https?|ssh|git):\/\//i.test(repository.url)) return;
  throw new DomainError(
    "sandbox_boot_failed",
    "This control plane does not clone folders of its own computer.",
    {
      fields: { stage: "clone" },
    },
  );
};

const exists = (file: string): Promise<boolean> =>
  access(path.resolve(file)).then(
    () => true,
    () => false,
  );
