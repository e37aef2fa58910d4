/** How a local sandbox begins, goes on, is put away and ends. The caller sees to one operation at a time. */
import { rm } from "node:fs/promises";
import { DomainError, isDomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { attachServer, type AgentEndpoint } from "../../boot/attach.ts";
import { readBootRecord } from "../../boot/boot-record.ts";
import { runningPhases } from "../../boot/additional/running-phases.ts";
import { bootEssentials } from "../../boot/essentials.ts";
import type { Machine } from "../../boot/machine.ts";
import { tunnelsOf } from "../../boot/tunnels.ts";
import { workspaceMarker } from "../../boot/workspace.ts";
import type { SandboxRequest } from "../../provider/provider.ts";
import type { RunningSandbox, SandboxOrigin, SandboxTunnels } from "../../provider/sandbox.ts";
import type { SandboxSpec } from "../../provider/spec.ts";
import type { ControlGroups } from "./control-group.ts";
import { exists } from "./inspection.ts";
import type { Isolation } from "./isolation.ts";
import { layoutOf, type Layout } from "./layout.ts";
import { localMachine } from "./machine.ts";
import { freezeSandbox, thawSandbox } from "./processes.ts";
import { readablePaths, searchPath } from "./readable-paths.ts";
import { readSurroundings, type Surroundings } from "./run-folder.ts";
import { stopPrograms } from "./server-lifetime.ts";
import type { SnapshotStore } from "./snapshots.ts";

export interface LifecycleOptions {
  readonly dataDir: string;
  readonly isolation: Isolation;
  readonly opencodeBinary: string;
  readonly localRepositories: "allow" | "refuse";
  readonly snapshots: SnapshotStore;
  readonly controlGroups: ControlGroups | null;
  /** Calls every boot off. */
  readonly closing: AbortSignal;
}

/** One sandbox, whether or not it is there. */
export interface Place {
  readonly layout: Layout;
  readonly machine: Machine;
}

export interface LocalLifecycle {
  place(sessionId: SessionId): Promise<Place>;
  /** @throws DomainError `sandbox_not_found` unless it is running */
  running(sessionId: SessionId): Promise<Machine>;
  tunnels(sessionId: SessionId): Promise<SandboxTunnels>;
  ensure(request: SandboxRequest): Promise<RunningSandbox>;
  create(request: SandboxRequest): Promise<RunningSandbox>;
  snapshot(sessionId: SessionId): Promise<string>;
  stop(sessionId: SessionId): Promise<void>;
  remove(sessionId: SessionId): Promise<void>;
}

export const localLifecycle = (options: LifecycleOptions): LocalLifecycle => {
  const { dataDir, isolation, opencodeBinary, snapshots, controlGroups } = options;

  const placeWith = (layout: Layout, surroundings: Surroundings): Place => ({
    layout,
    machine: localMachine({
      layout,
      isolation,
      opencodeBinary,
      surroundings,
      searchPath: searchPath(),
      controlGroups,
    }),
  });

  const placeFor = ({ sessionId, spec }: SandboxRequest): Place =>
    placeWith(layoutOf(dataDir, sessionId), {
      environment: { ...spec.environment },
      readable: readablePaths(
        opencodeBinary,
        spec.repositories.map(({ url }) => url),
      ),
    });

  const place = async (sessionId: SessionId): Promise<Place> => {
    const layout = layoutOf(dataDir, sessionId);
    const fallback = { environment: {}, readable: readablePaths(opencodeBinary, []) };
    return placeWith(layout, (await readSurroundings(layout)) ?? fallback);
  };

  const running = async (sessionId: SessionId): Promise<Machine> => {
    const { machine } = await place(sessionId);
    if ((await machine.find("opencode")) === null) throw notRunning(sessionId);
    return machine;
  };

  const tunnels = async (sessionId: SessionId): Promise<SandboxTunnels> => {
    const machine = await running(sessionId);
    const record = await readBootRecord(machine.record);
    if (record === null) throw notRunning(sessionId);
    const reached = await tunnelsOf(machine, record.ports);
    // Nothing stands between, so that the sidecar needs no preview, and a computer no Caddy for it.
    return { ...reached, sidecar: await machine.urlOf(record.ports.sidecar) };
  };

  const additional = runningPhases();

  const stopAll = async (sessionId: SessionId, { layout, machine }: Place): Promise<void> => {
    // Before the programs: it could start one of them in between.
    await additional.stop(sessionId);
    await stopPrograms(layout, machine);
  };

  const remove = async (sessionId: SessionId): Promise<void> => {
    const { layout, machine } = await place(sessionId);
    await stopAll(sessionId, { layout, machine });
    // The mark of a filled workspace goes first: a removal that is cut off leaves nothing to resume.
    await rm(workspaceMarker(layout), { force: true });
    await controlGroups?.remove(layout.id);
    await rm(layout.root, { recursive: true, force: true, maxRetries: 5 });
  };

  const runningSandbox = async (
    { sessionId }: SandboxRequest,
    { layout, machine }: Place,
    { endpoint, ...found }: Found,
  ): Promise<RunningSandbox> => ({
    sessionId,
    sandboxId: layout.id,
    workspace: machine.workspace,
    opencode: endpoint,
    tunnels: await tunnels(sessionId),
    expiresAt: null,
    ...found,
  });

  /** Puts the newest snapshot that there is into a new sandbox. */
  const restore = async (request: SandboxRequest, layout: Layout): Promise<Beginning> => {
    const warnings: SandboxWarning[] = [];
    const { snapshotId, spec } = request;
    for (const id of [snapshotId, spec.snapshotId, spec.baseSnapshotId]) {
      if (id == null) continue;
      try {
        await snapshots.restore(id, layout);
        return { origin: "restored", warnings };
      } catch (error) {
        if (!isDomainError(error)) throw error;
        warnings.push({ code: "snapshot_unavailable", message: error.message });
      }
    }
    return { origin: "created", warnings };
  };

  const boot = async (request: SandboxRequest, at: Place): Promise<RunningSandbox> => {
    const { layout, machine } = at;
    const kept = await exists(workspaceMarker(layout));
    try {
      const beginning: Beginning = kept
        ? { origin: "resumed", warnings: [] }
        : await restore(request, layout);
      const { warnings, phase, ...endpoint } = await bootEssentials({
        machine,
        sessionId: request.sessionId,
        spec: request.spec,
        signal: callOff(request),
        onStage: request.onStage,
        onAdditionalStage: request.onAdditionalStage,
      });
      additional.keep(request.sessionId, phase);
      return await runningSandbox(request, at, {
        ...beginning,
        warnings: [...beginning.warnings, ...warnings],
        endpoint,
      });
    } catch (error) {
      // A new sandbox has nothing worth keeping; the agent's work of a former one stays.
      await (kept ? stopAll(request.sessionId, at) : remove(request.sessionId));
      throw error;
    }
  };

  const callOff = ({ signal }: SandboxRequest): AbortSignal =>
    AbortSignal.any([options.closing, ...(signal ? [signal] : [])]);

  const ensure = async (request: SandboxRequest): Promise<RunningSandbox> => {
    refuseLocalRepositories(options, request.spec);
    const at = placeFor(request);
    const { layout, machine } = at;
    if ((await machine.find("opencode")) !== null) {
      // A snapshot that was cut off has left its processes stopped.
      await thawSandbox(layout.id);
      const endpoint = await attachServer({
        machine,
        spec: request.spec,
        signal: callOff(request),
      });
      if (endpoint !== null) {
        return runningSandbox(request, at, { origin: "attached", warnings: [], endpoint });
      }
    }
    // Where there is no folder, nothing has been started, or it was ended before the folder went.
    if (await exists(layout.root)) await stopAll(request.sessionId, at);
    const sandbox = await boot(request, at);
    const lost = request.sandboxId !== null && sandbox.origin === "created";
    return lost ? { ...sandbox, warnings: [...sandbox.warnings, resumeFailed] } : sandbox;
  };

  return {
    place,
    running,
    tunnels,
    ensure,
    create: async (request) => {
      refuseLocalRepositories(options, request.spec);
      await remove(request.sessionId);
      return boot(request, placeFor(request));
    },
    snapshot: async (sessionId) => {
      const { layout } = await place(sessionId);
      if (!(await exists(workspaceMarker(layout)))) throw notFound(sessionId);
      // Half a pull is nothing to keep.
      await additional.settled(sessionId);
      await freezeSandbox(layout.id);
      try {
        return await snapshots.take(layout, sessionId);
      } finally {
        await thawSandbox(layout.id);
      }
    },
    stop: async (sessionId) => {
      await stopAll(sessionId, await place(sessionId));
    },
    remove,
  };
};

interface Beginning {
  readonly origin: SandboxOrigin;
  readonly warnings: readonly SandboxWarning[];
}

interface Found extends Beginning {
  readonly endpoint: AgentEndpoint;
}

const resumeFailed: SandboxWarning = {
  code: "resume_failed",
  message: "The session's former sandbox is gone; this one has begun anew.",
};

const notRunning = (sessionId: SessionId): DomainError =>
  new DomainError("sandbox_not_found", "The session has no running sandbox.", {
    fields: { sessionId },
  });

const notFound = (sessionId: SessionId): DomainError =>
  new DomainError("sandbox_not_found", "The session has no sandbox.", { fields: { sessionId } });

const refuseLocalRepositories = (
  { localRepositories }: Pick<LifecycleOptions, "localRepositories">,
  { repositories }: SandboxSpec,
): void => {
  const remote = ({ url }: { readonly url: string }) => /^(https?|ssh|git):\/\//i.test(url);
  if (localRepositories === "allow" || repositories.every(remote)) return;
  throw new DomainError(
    "sandbox_boot_failed",
    "This control plane does not clone folders of its own computer.",
    { fields: { stage: "clone" } },
  );
};
