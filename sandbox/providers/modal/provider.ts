/**
 * Sandboxes on Modal, through Modal's own SDK. Nothing is kept in this process but connections: a sandbox is
 * found by its name, which is the session's id, and what a boot leaves for later lies inside it.
 */
import { runningHealth } from "../../boot/attach.ts";
import { writeEnvValues } from "../../boot/env-file.ts";
import { secretsOf } from "../../boot/essentials.ts";
import { standardPorts, type SandboxPorts } from "../../boot/machine.ts";
import { readFilesThrough } from "../../boot/read-files.ts";
import { SandboxProviderError } from "../../provider/error.ts";
import type { SandboxProvider, SandboxRequest } from "../../provider/provider.ts";
import type { SandboxCheck, SandboxRef } from "../../provider/sandbox.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import { testServiceCommandsThrough } from "../../provider/service-commands.ts";
import { DomainError } from "#contracts/errors";
import { openModalClient, type ModalCredentials } from "./client.ts";
import { sessionLocks } from "../session-locks.ts";
import { deleteSnapshotFiles } from "./snapshots.ts";
import { openDirectory } from "./directory.ts";
import { modalError } from "./failures.ts";
import { openHandles } from "./handles.ts";
import { modalLifecycle } from "./lifecycle.ts";

export interface ModalProviderOptions {
  readonly credentials: ModalCredentials;
  /** Of the deployed app (`infra/modal`). */
  readonly appName: string;
  /** What new sandboxes start from when nothing else is asked for; the deployed image without one. */
  readonly baseSnapshotId: string | null;
  /** After this time Modal ends a sandbox. Whole seconds, at most a day. */
  readonly lifetimeMs: number;
  /** Ports for a boot, where sandboxes share one network; the usual ones by default. */
  readonly choosePorts?: () => Promise<SandboxPorts>;
}

/** Reserved for each sandbox: OpenCode takes about 650 MB, and a project's own servers want the rest. */
const resources = { cpu: 2, memoryMiB: 4096 };

type ModalProvider = Required<Omit<SandboxProvider, "listSnapshots">>;

/** Opens no connection before the first call. Closing ends no sandbox: another process may go on with it. */
export const openModalProvider = (options: ModalProviderOptions): ModalProvider => {
  const { credentials, appName, baseSnapshotId, lifetimeMs } = options;
  const choosePorts = options.choosePorts ?? (() => Promise.resolve(standardPorts));
  const client = openModalClient(credentials);
  const directory = openDirectory({ client, appName, lifetimeMs, ...resources });
  const handles = openHandles(directory, choosePorts);
  const closing = new AbortController();
  const lifecycle = modalLifecycle({
    directory,
    handles,
    images: { client, appName, baseSnapshotId },
    closing: closing.signal,
  });

  const named = async <T>(
    operation: keyof SandboxProvider & string,
    run: () => Promise<T>,
    secrets: readonly string[] = [],
  ): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw modalError(error, {
        operation,
        secrets: [credentials.tokenId, credentials.tokenSecret, ...secrets],
      });
    }
  };

  /** One at a time for each session, in this process; between processes the owner's lease sees to it. */
  const exclusively = sessionLocks();
  const booted = <T>(
    operation: keyof SandboxProvider & string,
    { sessionId, spec }: SandboxRequest<WorkspaceSpec>,
    run: () => Promise<T>,
  ): Promise<T> => named(operation, () => exclusively(sessionId, run), secretsOf(spec));

  const check = async (ref: SandboxRef): Promise<SandboxCheck> => {
    const { sessionId, sandboxId } = ref;
    const sandbox = await directory.find(ref);
    return sandbox === null
      ? { sessionId, sandboxId: sandboxId ?? "", state: "gone" }
      : { sessionId, sandboxId: sandbox.sandboxId, state: "running" };
  };

  return {
    type: "modal",
    capabilities: {
      pause: false,
      autoPause: false,
      memorySnapshot: true,
      snapshotCatalogue: false,
      snapshotRemoval: true,
      snapshotHeld: false,
      isolated: true,
      check: true,
      tunnels: true,
      readFiles: true,
      exec: true,
      terminalSandbox: true,
      serviceCommandTest: true,
    },
    ensureSandbox: (request) => booted("ensureSandbox", request, () => lifecycle.ensure(request)),
    createSandbox: (request) => booted("createSandbox", request, () => lifecycle.create(request)),
    createTerminalSandbox: (request) =>
      booted("createTerminalSandbox", request, () => lifecycle.createTerminal(request)),
    snapshot: (ref) => named("snapshot", () => lifecycle.snapshot(ref)),
    deleteSnapshot: (snapshotId) =>
      named("deleteSnapshot", () => deleteSnapshotFiles(client, snapshotId)),
    pause: () =>
      Promise.reject(
        new SandboxProviderError(
          "Modal cannot pause a sandbox; take a snapshot and terminate it instead.",
          { provider: "modal", operation: "pause", code: "sandbox_pause_unsupported" },
        ),
      ),
    // Closing ends no sandbox.
    handOver: () => undefined,
    terminate: (ref) =>
      named("terminate", () => exclusively(ref.sessionId, () => lifecycle.terminate(ref))),
    writeEnvFile: (ref, values) =>
      named("writeEnvFile", async () => {
        const { machine } = await lifecycle.running(ref);
        await writeEnvValues(machine, values);
      }),
    health: (ref) =>
      named("health", async () => {
        const handle = await lifecycle.find(ref);
        if (handle === null) {
          return { state: "gone", agent: "ended", detail: "There is no such sandbox." };
        }
        return runningHealth(handle.machine);
      }),
    checkSandboxes: (refs) =>
      named("checkSandboxes", async () => {
        if (refs !== undefined) return Promise.all(refs.map(check));
        const found = await directory.list();
        return found.map((sandbox) => ({ ...sandbox, state: "running" as const }));
      }),
    resolveTunnels: (ref) =>
      named("resolveTunnels", async () => lifecycle.tunnels(await lifecycle.running(ref))),
    readFiles: (ref, paths) =>
      named("readFiles", async () =>
        readFilesThrough((await lifecycle.running(ref)).machine, paths),
      ),
    execCommand: (ref, argv, execOptions) =>
      named("execCommand", async () =>
        (await lifecycle.running(ref)).machine.exec(argv, execOptions),
      ),
    testServiceCommands: (ref, commands) =>
      named("testServiceCommands", async () => {
        const { machine } = await lifecycle.running(ref);
        return testServiceCommandsThrough(machine.exec, machine.workspace, commands);
      }),
    memorySnapshot: (ref) => named("memorySnapshot", () => lifecycle.snapshotMemory(ref)),
    restoreFromMemorySnapshot: (request) =>
      booted("restoreFromMemorySnapshot", request, () =>
        lifecycle.restoreMemory(request, request.snapshotId),
      ),
    [Symbol.asyncDispose]: () => {
      closing.abort(new DomainError("sandbox_unavailable", "The sandbox provider is closing."));
      handles.releaseAll();
      client.close();
      return Promise.resolve();
    },
  };
};
