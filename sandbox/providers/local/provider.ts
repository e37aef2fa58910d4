/**
 * Sandboxes on this computer: a folder and a set of processes each, fenced by bubblewrap where it works.
 *
 * All state is in the folders and the process table, so another provider on the same data folder (after a
 * crash, or in a second process that has taken the session over) finds what this one has left.
 */
import { DomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";
import { secretsOf } from "../../boot/essentials.ts";
import { writeEnvValues } from "../../boot/env-file.ts";
import { readFilesThrough } from "../../boot/read-files.ts";
import { findOpencodeBinary } from "../../opencode/binary.ts";
import { asProvider } from "../../provider/error.ts";
import type { SandboxProvider, SandboxRequest } from "../../provider/provider.ts";
import type { SandboxCheck, SandboxRef } from "../../provider/sandbox.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import { testServiceCommandsThrough } from "../../provider/service-commands.ts";
import { openControlGroups, type SandboxLimits } from "./control-group.ts";
import { healthOf, sessionsWithSandbox, stateOf } from "./inspection.ts";
import { probeIsolation, type Isolation, type IsolationChoice } from "./isolation.ts";
import { localLifecycle } from "./lifecycle.ts";
import { searchPath } from "./readable-paths.ts";
import { sessionLocks } from "../session-locks.ts";
import { openSnapshotStore } from "./snapshots.ts";

export interface LocalProviderOptions {
  /** Sandboxes live below it in `sandboxes/<session>`, snapshots in `snapshots/<id>`. */
  readonly dataDir: string;
  readonly isolation: IsolationChoice;
  /**
   * Whether a session may clone a folder of this computer. Refuse it wherever the people who create
   * sessions may not read the computer's files.
   */
  readonly localRepositories: "allow" | "refuse";
  /** Name or path of bubblewrap; `bwrap` by default. */
  readonly bubblewrap?: string;
  /** For each sandbox; none by default. */
  readonly limits?: SandboxLimits;
  /** Path of OpenCode; that of the installed package by default. */
  readonly opencodeBinary?: string;
}

type OwnMethods = Required<Omit<SandboxProvider, "memorySnapshot" | "restoreFromMemorySnapshot">>;

export interface LocalProvider extends OwnMethods {
  readonly isolation: Isolation;
  /** Pauses the sandboxes that this provider has handed out, but for those that others go on with. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** @throws DomainError `prerequisite_missing` without OpenCode, /proc, a demanded bubblewrap, or control groups for limits */
export const openLocalProvider = async (options: LocalProviderOptions): Promise<LocalProvider> => {
  if (process.platform !== "linux") {
    throw new DomainError("prerequisite_missing", "Local sandboxes need Linux.");
  }
  const { dataDir, localRepositories } = options;
  const isolation = await probeIsolation({
    choice: options.isolation,
    command: options.bubblewrap ?? "bwrap",
    searchPath: searchPath(),
  });
  const opencodeBinary = options.opencodeBinary ?? (await findOpencodeBinary());
  const snapshots = openSnapshotStore(dataDir);
  const controlGroups = options.limits ? await openControlGroups(options.limits) : null;
  if (options.limits && controlGroups === null) {
    throw new DomainError(
      "prerequisite_missing",
      "Limits of sandboxes need control groups, and this process may not make any: run it as root or in a delegated group, or set no limits.",
    );
  }
  const closing = new AbortController();
  const lifecycle = localLifecycle({
    ...{ dataDir, isolation, opencodeBinary, localRepositories, snapshots, controlGroups },
    closing: closing.signal,
  });
  const exclusively = sessionLocks();
  const handedOut = new Set<SessionId>();

  const named = <T>(operation: keyof SandboxProvider & string, run: () => Promise<T>): Promise<T> =>
    asProvider({ provider: "local", operation }, run);

  const boot = <T>(
    operation: "ensureSandbox" | "createSandbox" | "createTerminalSandbox",
    request: SandboxRequest<WorkspaceSpec>,
    run: () => Promise<T>,
  ): Promise<T> =>
    asProvider({ provider: "local", operation, secrets: secretsOf(request.spec) }, () =>
      exclusively(request.sessionId, () => {
        handedOut.add(request.sessionId);
        return run();
      }),
    );

  const pause = ({ sessionId }: Pick<SandboxRef, "sessionId">): Promise<void> =>
    named("pause", () =>
      exclusively(sessionId, () => {
        handedOut.delete(sessionId);
        return lifecycle.stop(sessionId);
      }),
    );

  const check = async (sessionId: SessionId): Promise<SandboxCheck> => {
    const { layout, machine } = await lifecycle.place(sessionId);
    return { sessionId, sandboxId: layout.id, state: await stateOf(layout, machine) };
  };

  return {
    type: "local",
    isolation,
    capabilities: {
      pause: true,
      autoPause: false,
      memorySnapshot: false,
      snapshotCatalogue: true,
      snapshotRemoval: true,
      snapshotHeld: false,
      isolated: isolation.kind === "bubblewrap",
      check: true,
      tunnels: true,
      readFiles: true,
      exec: true,
      terminalSandbox: true,
      serviceCommandTest: true,
    },
    ensureSandbox: (request) => boot("ensureSandbox", request, () => lifecycle.ensure(request)),
    createSandbox: (request) => boot("createSandbox", request, () => lifecycle.create(request)),
    createTerminalSandbox: (request) =>
      boot("createTerminalSandbox", request, () => lifecycle.createTerminal(request)),
    pause,
    handOver: ({ sessionId }) => {
      handedOut.delete(sessionId);
    },
    terminate: ({ sessionId }) =>
      named("terminate", () =>
        exclusively(sessionId, () => {
          handedOut.delete(sessionId);
          return lifecycle.remove(sessionId);
        }),
      ),
    snapshot: ({ sessionId }) =>
      named("snapshot", () => exclusively(sessionId, () => lifecycle.snapshot(sessionId))),
    listSnapshots: () => named("listSnapshots", () => snapshots.list()),
    deleteSnapshot: (snapshotId) => named("deleteSnapshot", () => snapshots.remove(snapshotId)),
    writeEnvFile: ({ sessionId }, values) =>
      named("writeEnvFile", async () => writeEnvValues(await lifecycle.running(sessionId), values)),
    health: ({ sessionId }) =>
      named("health", async () => {
        const { layout, machine } = await lifecycle.place(sessionId);
        return healthOf(layout, machine);
      }),
    checkSandboxes: (refs) =>
      named("checkSandboxes", async () => {
        const sessionIds =
          refs?.map(({ sessionId }) => sessionId) ?? (await sessionsWithSandbox(dataDir));
        return Promise.all(sessionIds.map(check));
      }),
    resolveTunnels: ({ sessionId }) => named("resolveTunnels", () => lifecycle.tunnels(sessionId)),
    readFiles: ({ sessionId }, paths) =>
      named("readFiles", async () => readFilesThrough(await lifecycle.running(sessionId), paths)),
    execCommand: ({ sessionId }, argv, execOptions) =>
      named("execCommand", async () =>
        (await lifecycle.running(sessionId)).exec(argv, execOptions),
      ),
    testServiceCommands: ({ sessionId }, commands) =>
      named("testServiceCommands", async () => {
        const machine = await lifecycle.running(sessionId);
        return testServiceCommandsThrough(machine.exec, machine.workspace, commands);
      }),
    [Symbol.asyncDispose]: async () => {
      closing.abort(new DomainError("sandbox_unavailable", "The sandbox provider is closing."));
      await Promise.all([...handedOut].map((sessionId) => pause({ sessionId })));
    },
  };
};
