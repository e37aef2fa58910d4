import type { SandboxTunnels } from "../provider/sandbox.ts";
import type { Machine, SandboxPorts } from "./machine.ts";

/** Below the preview's URL; what else is asked for there goes to the project's own server. */
const sidecarPath = "/_proliferate/mcp";

/** Asked of the machine anew each time: the URLs change when a sandbox is woken or made again. */
export const tunnelsOf = async (
  machine: Pick<Machine, "urlOf">,
  ports: SandboxPorts,
  ssh: SandboxTunnels["ssh"] = null,
): Promise<SandboxTunnels> => {
  const [opencode, preview] = await Promise.all([
    machine.urlOf(ports.opencode),
    machine.urlOf(ports.preview),
  ]);
  return { opencode, preview, sidecar: `${preview}${sidecarPath}`, ssh };
};
