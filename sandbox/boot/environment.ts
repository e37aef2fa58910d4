import { envFileVariable } from "#contracts/sandbox/environment";
import type { WorkspaceSpec } from "../provider/spec.ts";
import { envFilePath } from "./agent-files.ts";
import type { BootRequest } from "./essentials.ts";
import type { SandboxPorts } from "./machine.ts";

/** What everything inside may read. Nothing of the control plane's own is in it. */
export const ownEnvironment = (
  { machine, sessionId, spec }: Pick<BootRequest<WorkspaceSpec>, "machine" | "sessionId" | "spec">,
  ports: SandboxPorts,
): Record<string, string> => ({
  ...spec.environment,
  PROLIFERATE_GATEWAY_URL: spec.gateway.url,
  PROLIFERATE_SESSION_ID: sessionId,
  PROLIFERATE_SANDBOX_TOKEN: spec.gateway.token,
  PROLIFERATE_SIDECAR_URL: `http://127.0.0.1:${ports.sidecar}`,
  [envFileVariable]: envFilePath(machine),
});
