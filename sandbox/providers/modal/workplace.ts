/** Makes a running sandbox the session's workplace: by the agent's server that runs in it, or by a boot. */
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { attachServer, endpointOf } from "../../boot/attach.ts";
import { readBootRecord } from "../../boot/boot-record.ts";
import { runningPhases } from "../../boot/additional/running-phases.ts";
import { bootEssentials } from "../../boot/essentials.ts";
import { standardPorts, type Machine } from "../../boot/machine.ts";
import { bootTerminal, type BootedTerminal } from "../../boot/terminal.ts";
import { tunnelsOf } from "../../boot/tunnels.ts";
import { disposeServer } from "../../opencode/dispose.ts";
import type { SandboxRequest } from "../../provider/provider.ts";
import type {
  RunningSandbox,
  SandboxOrigin,
  SandboxTunnels,
  TerminalSandbox,
} from "../../provider/sandbox.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import type { SandboxDirectory } from "./directory.ts";
import type { Handle } from "./handles.ts";

/** How the sandbox came to be there. */
export interface Beginning {
  readonly origin: SandboxOrigin;
  readonly warnings: readonly SandboxWarning[];
}

export interface Workplace {
  tunnels(handle: Handle): Promise<SandboxTunnels>;
  /** Fires when the caller or the provider has given up. */
  callOff(request: Pick<SandboxRequest, "signal">): AbortSignal;
  boot(request: SandboxRequest, handle: Handle, beginning: Beginning): Promise<RunningSandbox>;
  bootWithoutAgent(
    request: SandboxRequest<WorkspaceSpec>,
    handle: Handle,
    beginning: Beginning,
  ): Promise<TerminalSandbox>;
  /** Waits for what a boot still does beside, so that a snapshot has all of it. */
  settled(sandboxId: string): Promise<void>;
  /** Calls off what a boot still does beside: for before the sandbox is ended. */
  stop(sandboxId: string): Promise<void>;
  /** Goes on with the agent's server that runs inside; else starts another one on the files that are there. */
  goOn(request: SandboxRequest, handle: Handle, beginning: Beginning): Promise<RunningSandbox>;
}

export interface WorkplaceOptions {
  readonly directory: Pick<SandboxDirectory, "sshOf" | "expiresAt">;
  /** Calls every boot off. */
  readonly closing: AbortSignal;
}

export const modalWorkplace = ({ directory, closing }: WorkplaceOptions): Workplace => {
  const additional = runningPhases();

  const tunnels = async ({ sandbox, machine }: Handle): Promise<SandboxTunnels> =>
    tunnelsOf(machine, standardPorts, await directory.sshOf(sandbox.sandboxId));

  const callOff = ({ signal }: Pick<SandboxRequest, "signal">): AbortSignal =>
    AbortSignal.any([closing, ...(signal ? [signal] : [])]);

  const placeOf = async (
    { sessionId }: SandboxRequest<WorkspaceSpec>,
    handle: Handle,
    beginning: Beginning,
  ): Promise<TerminalSandbox> => ({
    ...beginning,
    sessionId,
    sandboxId: handle.sandbox.sandboxId,
    workspace: handle.machine.workspace,
    tunnels: await tunnels(handle),
    expiresAt: await directory.expiresAt(handle.sandbox),
  });

  const bootOf = (request: SandboxRequest<WorkspaceSpec>, { machine }: Handle) => {
    const { sessionId, onStage, onAdditionalStage } = request;
    return { machine, sessionId, signal: callOff(request), onStage, onAdditionalStage };
  };

  /** What a boot still does beside is known from here on, and its warnings are told. */
  const settle = (
    request: SandboxRequest<WorkspaceSpec>,
    handle: Handle,
    { beginning, booted }: { readonly beginning: Beginning; readonly booted: BootedTerminal },
  ): Promise<TerminalSandbox> => {
    additional.keep(handle.sandbox.sandboxId, booted.phase);
    const warnings = [...beginning.warnings, ...booted.warnings];
    return placeOf(request, handle, { ...beginning, warnings });
  };

  const boot = async (request: SandboxRequest, handle: Handle, beginning: Beginning) => {
    const booted = await bootEssentials({ ...bootOf(request, handle), spec: request.spec });
    const { baseUrl, authorization } = booted;
    const place = await settle(request, handle, { beginning, booted });
    return { ...place, opencode: { baseUrl, authorization } };
  };

  const bootWithoutAgent: Workplace["bootWithoutAgent"] = async (request, handle, beginning) => {
    // In a copy of another sandbox it is somebody else's.
    await stopServer(handle.machine);
    const booted = await bootTerminal({ ...bootOf(request, handle), spec: request.spec });
    return settle(request, handle, { beginning, booted });
  };

  const goOn = async (
    request: SandboxRequest,
    handle: Handle,
    beginning: Beginning,
  ): Promise<RunningSandbox> => {
    const { machine } = handle;
    const signal = callOff(request);
    const opencode = await attachServer({ machine, spec: request.spec, signal });
    if (opencode !== null) return { ...(await placeOf(request, handle, beginning)), opencode };
    await stopServer(machine);
    const origin = beginning.origin === "attached" ? "resumed" : beginning.origin;
    return boot(request, handle, { ...beginning, origin });
  };

  const { settled, stop } = additional;
  return { tunnels, callOff, boot, bootWithoutAgent, goOn, settled, stop };
};

/** OpenCode first ends its turns, which would stay open in its database for ever; then it is ended. */
const stopServer = async (machine: Machine): Promise<void> => {
  const server = await machine.find("opencode");
  const record = await readBootRecord(machine.record);
  if (server === null || record === null) return server?.stop();
  const { baseUrl, authorization } = await endpointOf(machine, record);
  await disposeServer(baseUrl, authorization);
  await server.stop();
};
