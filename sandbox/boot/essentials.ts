/**
 * The essential boot: everything that has to be there before the first prompt. What only makes a sandbox
 * nicer does not belong here.
 */
import { randomBytes } from "node:crypto";
import type { SessionId } from "#contracts/ids";
import { bundleCli } from "../agent/bundle-cli.ts";
import { opencodeAuthorization, opencodeEnvironment } from "../opencode/config.ts";
import type { SandboxSpec, StageReport } from "../provider.ts";
import { instructionsPath, writeAgentFiles } from "./agent-files.ts";
import type { AgentServer, Machine } from "./machine.ts";
import { waitUntilReady } from "./readiness.ts";
import { runStages } from "./stages.ts";
import { basicCredential, fillWorkspace } from "./workspace.ts";

export interface BootRequest<Server extends AgentServer> {
  readonly machine: Machine<Server>;
  readonly sessionId: SessionId;
  readonly spec: SandboxSpec;
  readonly signal: AbortSignal;
  readonly onStage?: ((report: StageReport) => void) | undefined;
}

export interface Booted<Server extends AgentServer> {
  readonly server: Server;
  readonly password: string;
}

/** @throws DomainError `sandbox_boot_failed`; the server is stopped then, the files stay as they are */
export const bootEssentials = async <Server extends AgentServer>(
  request: BootRequest<Server>,
): Promise<Booted<Server>> => {
  const { machine, spec } = request;
  const password = randomBytes(24).toString("base64url");
  let server: Server | null = null;
  const started = (): Server => {
    if (server === null) throw new Error("The launch stage has not run.");
    return server;
  };
  const launch = async () => {
    server = await machine.launch({ env: sandboxEnvironment(request, password) });
  };
  try {
    await runStages(
      [
        { name: "folder", run: () => machine.prepare() },
        { name: "clone", run: (signal) => fillWorkspace(machine, spec, signal) },
        {
          name: "agent_files",
          run: async () =>
            writeAgentFiles(machine, { instructions: spec.instructions, cli: await bundleCli() }),
        },
        { name: "launch", run: launch },
        {
          name: "ready",
          run: (signal) =>
            waitUntilReady({
              server: started(),
              authorization: opencodeAuthorization(password),
              signal,
            }),
        },
      ],
      { signal: request.signal, onStage: request.onStage, secrets: [password, ...secretsOf(spec)] },
    );
    return { server: started(), password };
  } catch (error) {
    // The compiler does not see that a stage assigns it.
    await (server as Server | null)?.stop();
    throw error;
  }
};

/** What everything inside may read. Nothing of the control plane's own is in it. */
const sandboxEnvironment = (
  request: BootRequest<AgentServer>,
  password: string,
): Record<string, string> => ({
  ...request.spec.environment,
  ...opencodeEnvironment({
    model: request.spec.model,
    instructionsPath: instructionsPath(request.machine),
    password,
  }),
  PROLIFERATE_GATEWAY_URL: request.spec.gateway.url,
  PROLIFERATE_SESSION_ID: request.sessionId,
  PROLIFERATE_SANDBOX_TOKEN: request.spec.gateway.token,
});

const secretsOf = (spec: SandboxSpec): readonly string[] => [
  spec.gateway.token,
  spec.model.apiKey,
  ...Object.values(spec.environment ?? {}),
  ...(spec.gitCredential ? [spec.gitCredential.password, basicCredential(spec.gitCredential)] : []),
];
