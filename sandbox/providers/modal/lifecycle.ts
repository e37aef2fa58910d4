/** How a Modal sandbox begins, goes on and ends. Any process may do each step; Modal alone knows what runs. */
import type { Sandbox } from "modal";
import { DomainError } from "#contracts/errors";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import type { SandboxRequest } from "../../provider/provider.ts";
import type { RunningSandbox, SandboxTunnels } from "../../provider/sandbox.ts";
import type { Named, SandboxDirectory } from "./directory.ts";
import { isGone } from "./failures.ts";
import type { Handle, Handles } from "./handles.ts";
import { chooseImage, snapshotGone, type ChosenImage, type ImageSources } from "./image-choice.ts";
import { isMemorySnapshot, memorySnapshotId, snapshotFiles, snapshotMemory } from "./snapshots.ts";
import { modalWorkplace, type Beginning } from "./workplace.ts";

export interface LifecycleOptions {
  readonly directory: SandboxDirectory;
  readonly handles: Handles;
  readonly images: ImageSources;
  /** Calls every boot off. */
  readonly closing: AbortSignal;
}

export interface ModalLifecycle {
  /** @throws DomainError `sandbox_not_found` unless it is running */
  running(named: Named): Promise<Handle>;
  /** Null unless it is running. */
  find(named: Named): Promise<Handle | null>;
  tunnels(handle: Handle): Promise<SandboxTunnels>;
  ensure(request: SandboxRequest): Promise<RunningSandbox>;
  create(request: SandboxRequest): Promise<RunningSandbox>;
  restoreMemory(request: SandboxRequest, snapshotId: string): Promise<RunningSandbox>;
  snapshot(named: Named): Promise<string>;
  snapshotMemory(named: Named): Promise<string>;
  terminate(named: Named): Promise<void>;
}

/** Somebody else may take the name, and let it go, between our looks. */
const mostAttempts = 3;

export const modalLifecycle = (options: LifecycleOptions): ModalLifecycle => {
  const { directory, handles } = options;
  const { tunnels, callOff, boot, goOn, settled, stop } = modalWorkplace(options);

  const find = async (named: Named): Promise<Handle | null> => {
    const sandbox = await directory.find(named);
    return sandbox === null ? null : handles.of(named.sessionId, sandbox);
  };

  const running = async (named: Named): Promise<Handle> => {
    const handle = await find(named);
    if (handle !== null) return handle;
    throw new DomainError("sandbox_not_found", "The session has no running sandbox.", {
      fields: { sessionId: named.sessionId },
    });
  };

  const terminate = async (named: Named): Promise<void> => {
    const sandbox = await directory.find(named);
    if (sandbox === null) return;
    await stop(sandbox.sandboxId);
    handles.release(sandbox.sandboxId);
    await directory.terminate(named);
  };

  /** A sandbox that was made for this request is ended when it cannot be used. */
  const orEnd = async (
    request: SandboxRequest,
    use: () => Promise<RunningSandbox>,
  ): Promise<RunningSandbox> => {
    try {
      return await use();
    } catch (error) {
      await terminate(request);
      throw error;
    }
  };

  /** Null when a sandbox runs under the name already. */
  const make = async (
    request: SandboxRequest,
    warnings: readonly SandboxWarning[],
  ): Promise<RunningSandbox | null> => {
    const chosen = await chooseImage(options.images, request);
    callOff(request).throwIfAborted();
    const sandbox = await directory.create({
      sessionId: request.sessionId,
      generation: request.generation ?? 0,
      image: chosen.image,
      environment: request.spec.environment ?? {},
    });
    if (sandbox === null) return null;
    return orEnd(request, async () =>
      boot(
        request,
        await handles.of(request.sessionId, sandbox),
        beginningOf(request, chosen, warnings),
      ),
    );
  };

  const restore = async (
    request: SandboxRequest,
    snapshotId: string,
  ): Promise<RunningSandbox | null> => {
    let sandbox: Sandbox | null;
    try {
      sandbox = await directory.restore(request, memorySnapshotId(snapshotId));
    } catch (error) {
      throw isGone(error) ? snapshotNotFound(snapshotId) : error;
    }
    if (sandbox === null) return null;
    const restored = sandbox;
    return orEnd(request, async () =>
      goOn(request, await handles.of(request.sessionId, restored), {
        origin: "restored",
        warnings: [],
      }),
    );
  };

  /** From memory where the session's last snapshot is one, else from files. */
  const begin = async (request: SandboxRequest): Promise<RunningSandbox | null> => {
    const { snapshotId } = request;
    if (snapshotId === null || !isMemorySnapshot(snapshotId)) return make(request, []);
    try {
      return await restore(request, snapshotId);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== "sandbox_snapshot_not_found")
        throw error;
      return make({ ...request, snapshotId: null }, [snapshotGone(snapshotId)]);
    }
  };

  /** @param clash what to do about a sandbox that has the name */
  const untilNamed = async (
    request: SandboxRequest,
    clash: () => Promise<RunningSandbox | null>,
    attempt: () => Promise<RunningSandbox | null>,
  ): Promise<RunningSandbox> => {
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      const sandbox = (await clash()) ?? (await attempt());
      if (sandbox !== null) return sandbox;
    }
    throw new DomainError(
      "sandbox_unavailable",
      "Another owner makes this session's sandbox too.",
      {
        fields: { sessionId: request.sessionId },
      },
    );
  };

  const clear = (request: SandboxRequest) => () => terminate(request).then(() => null);

  return {
    running,
    find,
    tunnels,
    terminate,
    ensure: (request) =>
      untilNamed(
        request,
        async () => {
          const handle = await find(request);
          return handle && goOn(request, handle, { origin: "attached", warnings: [] });
        },
        () => begin(request),
      ),
    create: (request) => untilNamed(request, clear(request), () => begin(request)),
    restoreMemory: (request, snapshotId) =>
      untilNamed(request, clear(request), () => restore(request, snapshotId)),
    snapshot: async (named) => {
      const { sandbox } = await running(named);
      await settled(sandbox.sandboxId);
      return snapshotFiles(sandbox);
    },
    snapshotMemory: async (named) => {
      const { sandbox } = await running(named);
      await settled(sandbox.sandboxId);
      const id = await snapshotMemory(sandbox);
      // The snapshot has ended the sandbox.
      handles.release(sandbox.sandboxId);
      return id;
    },
  };
};

const beginningOf = (
  { sandboxId, spec }: SandboxRequest,
  { from, warnings }: ChosenImage,
  earlier: readonly SandboxWarning[],
): Beginning => {
  const restored = from === "snapshot" || (from === "base_snapshot" && spec.baseSnapshotId != null);
  const lost = sandboxId !== null && from !== "snapshot";
  return {
    origin: restored ? "restored" : "created",
    warnings: [...earlier, ...warnings, ...(lost ? [resumeFailed] : [])],
  };
};

const resumeFailed: SandboxWarning = {
  code: "resume_failed",
  message: "The session's former sandbox is gone; this one has begun anew.",
};

const snapshotNotFound = (snapshotId: string): DomainError =>
  new DomainError("sandbox_snapshot_not_found", "There is no such snapshot.", {
    fields: { snapshotId },
  });
