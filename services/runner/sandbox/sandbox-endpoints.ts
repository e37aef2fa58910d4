import type { SandboxEndpoints } from "#contracts/sandbox/endpoints";
import type { RunningSandbox } from "#sandbox/provider/sandbox";

/** What the gateway has to know to reach a sandbox. */
export const endpointsOf = ({ opencode, tunnels }: RunningSandbox): SandboxEndpoints => ({
  opencode,
  preview: tunnels.preview,
  sidecar: tunnels.sidecar,
});
