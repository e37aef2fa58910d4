/** Makes a running sandbox the session's workplace: by the agent's server that runs in it, or by a boot. */
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { attachServer, endpointOf, type AgentEndpoint } from "../../boot/attach.ts";
import { readBootRecord } from "../../boot/boot-record.ts";
import { runningPhases } from "../../boot/additional/running-phases.ts";
import { bootEssentials } from "../../boot/essentials.ts";
import { standardPorts, type Machine } from "../../boot/machine.ts";
import { tunnelsOf } from "../../boot/tunnels.ts";
import { disposeServer } from "../../opencode/dispose.ts";
import type { SandboxRequest } from "../../provider/provider.ts";
import type { RunningSandbox, SandboxOrigin, SandboxTunnels } from "../../provider/sandbox.ts";
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
  callOff(request: SandboxRequest): AbortSignal;
  boot(request: SandboxRequest, handle: Handle, beginning: Beginning): Promise<RunningSandbox>;
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

  const callOff = ({ signal }: SandboxRequest): AbortSignal =>
    AbortSignal.any([closing, ...(signal ? [signal] : [])]);

  const runningSandbox = async (
    { sessionId }: SandboxRequest,
    handle: Handle,
    found: Beginning & { readonly opencode: AgentEndpoint },
  ): Promise<RunningSandbox> => ({
    ...found,
    sessionId,
    sandboxId: handle.sandbox.sandboxId,
    workspace: handle.machine.workspace,
    tunnels: await tunnels(handle),
    expiresAt: await directory.expiresAt(handle.sandbox),
  });

  const boot = async (request: SandboxRequest, handle: Handle, beginning: Beginning) => {
    const { warnings, phase, ...opencode } = await bootEssentials({
      machine: handle.machine,
      sessionId: request.sessionId,
      spec: request.spec,
      signal: callOff(request),
      onStage: request.onStage,
      onAdditionalStage: request.onAdditionalStage,
    });
    additional.keep(handle.sandbox.sandboxId, phase);
    return runningSandbox(request, handle, {
      ...beginning,
      warnings: [...beginning.warnings, ...warnings],
      opencode,
    });
  };

  const goOn = async (
    request: SandboxRequest,
    handle: Handle,
    beginning: Beginning,
  ): Promise<RunningSandbox> => {
    const { machine } = handle;
    const signal = callOff(request);
    const opencode = await attachServer({ machine, spec: request.spec, signal });
    if (opencode !== null) return runningSandbox(request, handle, { ...beginning, opencode });
    await stopServer(machine);
    const origin = beginning.origin === "attached" ? "resumed" : beginning.origin;
    return boot(request, handle, { ...beginning, origin });
  };

  return { tunnels, callOff, boot, goOn, settled: additional.settled, stop: additional.stop };
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
