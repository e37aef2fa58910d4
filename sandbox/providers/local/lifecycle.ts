/** How a local sandbox begins, goes on, is put away and ends. The caller sees to one operation at a time. */
import { rm } from "node:fs/promises";
import { DomainError, isDomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { attachServer } from "../../boot/attach.ts";
import { readBootRecord } from "../../boot/boot-record.ts";
import { runningPhases } from "../../boot/additional/running-phases.ts";
import { bootEssentials, type BootRequest } from "../../boot/essentials.ts";
import type { Machine } from "../../boot/machine.ts";
import { bootTerminal, type BootedTerminal } from "../../boot/terminal.ts";
import { tunnelsOf } from "../../boot/tunnels.ts";
import { workspaceMarker } from "../../boot/workspace.ts";
import type { SandboxRequest } from "../../provider/provider.ts";
import type {
  RunningSandbox,
  SandboxOrigin,
  SandboxTunnels,
  TerminalSandbox,
} from "../../provider/sandbox.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import type { ControlGroups } from "./control-group.ts";
import { exists, isRunning } from "./inspection.ts";
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
  createTerminal(request: SandboxRequest<WorkspaceSpec>): Promise<TerminalSandbox>;
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

  const placeFor = ({ sessionId, spec }: SandboxRequest<WorkspaceSpec>): Place =>
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
    if (!(await isRunning(machine))) throw notRunning(sessionId);
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

  const terminalSandbox = async (
    sessionId: SessionId,
    { layout, machine }: Place,
    beginning: Beginning,
  ): Promise<TerminalSandbox> => ({
    ...beginning,
    sessionId,
    sandboxId: layout.id,
    workspace: machine.workspace,
    tunnels: await tunnels(sessionId),
    expiresAt: null,
  });

  /** Puts the newest snapshot that there is into a new sandbox. */
  const restore = async (
    request: SandboxRequest<WorkspaceSpec>,
    layout: Layout,
  ): Promise<Beginning> => {
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

  /** @param run boots what belongs into the sandbox, and says what could not be had */
  const boot = async <Booted extends BootOutcome>(
    request: SandboxRequest<WorkspaceSpec>,
    at: Place,
    run: (boot: Boot) => Promise<Booted>,
  ): Promise<TerminalSandbox & { readonly booted: Booted }> => {
    const { layout, machine } = at;
    const { sessionId, onStage, onAdditionalStage } = request;
    const kept = await exists(workspaceMarker(layout));
    try {
      const beginning: Beginning = kept
        ? { origin: "resumed", warnings: [] }
        : await restore(request, layout);
      const signal = callOff(request);
      const booted = await run({ machine, sessionId, signal, onStage, onAdditionalStage });
      additional.keep(sessionId, booted.phase);
      const warnings = [...beginning.warnings, ...booted.warnings];
      return { ...(await terminalSandbox(sessionId, at, { ...beginning, warnings })), booted };
    } catch (error) {
      // A new sandbox has nothing worth keeping; the agent's work of a former one stays.
      await (kept ? stopAll(sessionId, at) : remove(sessionId));
      throw error;
    }
  };

  const bootAgent = async (request: SandboxRequest, at: Place): Promise<RunningSandbox> => {
    const { spec } = request;
    const { booted, ...sandbox } = await boot(request, at, (begun) =>
      bootEssentials({ ...begun, spec }),
    );
    const { baseUrl, authorization } = booted;
    return { ...sandbox, opencode: { baseUrl, authorization } };
  };

  const callOff = ({ signal }: Pick<SandboxRequest, "signal">): AbortSignal =>
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
        const attached = { origin: "attached", warnings: [] } as const;
        return { ...(await terminalSandbox(request.sessionId, at, attached)), opencode: endpoint };
      }
    }
    // Where there is no folder, nothing has been started, or it was ended before the folder went.
    if (await exists(layout.root)) await stopAll(request.sessionId, at);
    const sandbox = await bootAgent(request, at);
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
      return bootAgent(request, placeFor(request));
    },
    createTerminal: async (request) => {
      const { sessionId, spec } = request;
      refuseLocalRepositories(options, spec);
      await remove(sessionId);
      const { booted: _, ...sandbox } = await boot(request, placeFor(request), (begun) =>
        bootTerminal({ ...begun, spec }),
      );
      return sandbox;
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

type Boot = Omit<BootRequest<WorkspaceSpec>, "spec">;

type BootOutcome = Pick<BootedTerminal, "warnings" | "phase">;

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
  { repositories }: WorkspaceSpec,
): void => {
  const remote = ({ url }: { readonly url: string }) => /^(https?|ssh|git):\/\//i.test(url);
  if (localRepositories === "allow" || repositories.every(remote)) return;
  throw new DomainError(
    "sandbox_boot_failed",
    "This control plane does not clone folders of its own computer.",
    { fields: { stage: "clone" } },
  );
};
