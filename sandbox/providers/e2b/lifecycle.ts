/** How an E2B sandbox begins, goes on, is put away and ends. The caller sees to one operation at a time. */
import type { Sandbox } from "e2b";
import { DomainError } from "#contracts/errors";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { attachServer, type AgentEndpoint } from "../../boot/attach.ts";
import { runningPhases } from "../../boot/additional/running-phases.ts";
import { bootEssentials } from "../../boot/essentials.ts";
import { bootTerminal } from "../../boot/terminal.ts";
import { tunnelsOf } from "../../boot/tunnels.ts";
import { workspaceMarker } from "../../boot/workspace.ts";
import type { SandboxRequest } from "../../provider/provider.ts";
import type {
  RunningSandbox,
  SandboxOrigin,
  SandboxRef,
  TerminalSandbox,
} from "../../provider/sandbox.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import type { E2bApi } from "./api.ts";
import { begin, wake, type Beginning } from "./beginning.ts";
import { locate } from "./locate.ts";
import { openMachine, type E2bMachine } from "./machine.ts";
import type { Renewals } from "./renewals.ts";
import type { E2bSettings } from "./settings.ts";

export interface LifecycleOptions {
  readonly settings: E2bSettings;
  readonly api: E2bApi;
  readonly renewals: Renewals;
  /** Calls every boot off. */
  readonly closing: AbortSignal;
}

export interface E2bLifecycle {
  ensure(request: SandboxRequest): Promise<RunningSandbox>;
  create(request: SandboxRequest): Promise<RunningSandbox>;
  createTerminal(request: SandboxRequest<WorkspaceSpec>): Promise<TerminalSandbox>;
  /** A running sandbox as it is: it does not run on for being looked at. */
  open(id: string): Promise<E2bMachine>;
  /** @throws DomainError `sandbox_not_found` unless it is running */
  running(ref: SandboxRef): Promise<E2bMachine>;
  pause(ref: SandboxRef): Promise<void>;
  /** @throws DomainError `sandbox_not_found` */
  snapshot(ref: SandboxRef): Promise<string>;
  remove(ref: SandboxRef): Promise<void>;
}

/** Connecting to a running sandbox must not let it run on: enough for the call itself. */
const noLongerMs = 1_000;

export const e2bLifecycle = (options: LifecycleOptions): E2bLifecycle => {
  const { settings, api, renewals } = options;
  const machines = new Map<string, E2bMachine>();
  const additional = runningPhases();

  const machineOf = async (sandbox: Sandbox): Promise<E2bMachine> => {
    const machine = await openMachine(settings, sandbox);
    machines.set(sandbox.sandboxId, machine);
    return machine;
  };

  const open = async (id: string): Promise<E2bMachine> =>
    machines.get(id) ?? machineOf(await api.connect(id, noLongerMs));

  const running = async (ref: SandboxRef): Promise<E2bMachine> => {
    const found = await locate(api, ref);
    if (found?.state !== "running") {
      throw new DomainError("sandbox_not_found", "The session has no running sandbox.", {
        fields: { sessionId: ref.sessionId },
      });
    }
    return open(found.id);
  };

  const callOff = ({ signal }: Pick<SandboxRequest, "signal">): AbortSignal =>
    AbortSignal.any([options.closing, ...(signal ? [signal] : [])]);

  /** @param keep whether the sandbox has work in it, so that a failed boot must not remove it */
  const boot = async (
    request: SandboxRequest,
    { sandbox, origin, warnings, keep, ...start }: Start,
  ): Promise<RunningSandbox> => {
    const { sessionId, spec, onStage, onAdditionalStage } = request;
    const signal = callOff(request);
    renewals.keep(sandbox.sandboxId);
    try {
      const machine = start.machine ?? (await machineOf(sandbox));
      await machine.setEnvironment(spec.environment ?? {});
      // In a copy, the server is somebody else's.
      const attached = keep ? await attachServer({ machine, spec, signal }) : null;
      const allWarnings = [...warnings];
      let opencode: AgentEndpoint | null = attached;
      if (opencode === null) {
        await (await machine.find("opencode"))?.stop();
        const booting = { machine, sessionId, spec, signal, onStage, onAdditionalStage };
        const { warnings: ofBoot, phase, ...endpoint } = await bootEssentials(booting);
        additional.keep(sandbox.sandboxId, phase);
        allWarnings.push(...ofBoot);
        opencode = endpoint;
      }
      const tunnels = await tunnelsOf(machine, machine.ports);
      return {
        ...{ sessionId, sandboxId: sandbox.sandboxId, warnings: allWarnings, opencode, tunnels },
        // It ran, but the agent's server in it did not, or with other settings.
        origin: origin === "attached" && attached === null ? "resumed" : origin,
        workspace: machine.workspace,
        expiresAt: null,
      };
    } catch (error) {
      renewals.drop(sandbox.sandboxId);
      await additional.stop(sandbox.sandboxId);
      if (!keep) await api.kill(sandbox.sandboxId);
      throw error;
    }
  };

  /** In a new sandbox, or in a copy: whatever runs there is somebody else's. */
  const bootWithoutAgent = async (
    request: SandboxRequest<WorkspaceSpec>,
    { sandbox, origin, warnings }: Beginning,
  ): Promise<TerminalSandbox> => {
    const { sandboxId } = sandbox;
    const { sessionId, spec, onStage, onAdditionalStage } = request;
    renewals.keep(sandboxId);
    try {
      const machine = await machineOf(sandbox);
      await machine.setEnvironment(spec.environment ?? {});
      await (await machine.find("opencode"))?.stop();
      const signal = callOff(request);
      const booting = { machine, sessionId, spec, signal, onStage, onAdditionalStage };
      const booted = await bootTerminal(booting);
      additional.keep(sandboxId, booted.phase);
      return {
        ...{ sessionId, sandboxId, origin, warnings: [...warnings, ...booted.warnings] },
        workspace: machine.workspace,
        tunnels: await tunnelsOf(machine, machine.ports),
        expiresAt: null,
      };
    } catch (error) {
      await end(new Set([sandboxId]));
      throw error;
    }
  };

  const goOn = async (
    request: SandboxRequest,
    sandbox: Sandbox,
    state: "running" | "paused",
  ): Promise<RunningSandbox> => {
    const machine = await machineOf(sandbox);
    const keep = await machine.files.exists(workspaceMarker(machine));
    const origin = !keep ? "created" : state === "paused" ? "resumed" : "attached";
    return boot(request, { sandbox, machine, origin, warnings: [], keep });
  };

  /** The stored one and whatever else carries the session's id. */
  const ownIds = async ({ sessionId, sandboxId }: SandboxRef): Promise<ReadonlySet<string>> => {
    const tagged = (await api.list(sessionId)).map(({ id }) => id);
    return new Set(sandboxId === null ? tagged : [...tagged, sandboxId]);
  };

  const end = async (ids: ReadonlySet<string>): Promise<void> => {
    for (const id of ids) {
      renewals.drop(id);
      machines.delete(id);
      await additional.stop(id);
      await api.kill(id);
    }
  };

  /** The former sandbox ends when there is a new one. */
  const replace = async (request: SandboxRequest<WorkspaceSpec>): Promise<Beginning> => {
    const former = await ownIds(request);
    const start = await begin(api, request, settings.template);
    await end(former);
    return start;
  };

  return {
    open,
    running,
    ensure: async (request) => {
      const found = await locate(api, request);
      const woken = found && (await wake(api, found.id));
      if (woken) return goOn(request, woken, found.state);
      const lost = found !== null || request.sandboxId !== null;
      const start = await begin(api, request, settings.template);
      const warnings = [...(lost ? [resumeFailed] : []), ...start.warnings];
      return boot(request, { ...start, warnings, keep: false });
    },
    create: async (request) => boot(request, { ...(await replace(request)), keep: false }),
    createTerminal: async (request) => bootWithoutAgent(request, await replace(request)),
    pause: async (ref) => {
      const found = await locate(api, ref);
      if (found === null) return;
      renewals.drop(found.id);
      machines.delete(found.id);
      await additional.stop(found.id);
      if (found.state === "running") await api.pause(found.id);
    },
    snapshot: async (ref) => {
      const found = await locate(api, ref);
      if (found === null) {
        throw new DomainError("sandbox_not_found", "The session has no sandbox.", {
          fields: { sessionId: ref.sessionId },
        });
      }
      if (found.state === "running") {
        // Half a pull is nothing to keep.
        await additional.settled(found.id);
        return api.takeSnapshot(found.id);
      }
      // E2B takes them of running sandboxes.
      await api.connect(found.id);
      try {
        return await api.takeSnapshot(found.id);
      } finally {
        await api.pause(found.id);
      }
    },
    remove: async (ref) => end(await ownIds(ref)),
  };
};

interface Start {
  readonly sandbox: Sandbox;
  /** When it is open already. */
  readonly machine?: E2bMachine;
  readonly origin: SandboxOrigin;
  readonly warnings: readonly SandboxWarning[];
  readonly keep: boolean;
}

const resumeFailed: SandboxWarning = {
  code: "resume_failed",
  message: "The session's former sandbox could not be woken; this one is new.",
};
