/**
 * The essential boot: everything that has to be there before the first prompt. What only makes a sandbox
 * nicer does not belong here.
 */
import { randomBytes } from "node:crypto";
import type { SessionId } from "#contracts/ids";
import { bundleCli } from "../agent/bundle-cli.ts";
import { opencodeEnvironment } from "../opencode/config.ts";
import type { StageReport } from "../provider/provider.ts";
import type { SandboxSpec } from "../provider/spec.ts";
import { envFilePath, instructionsPath, writeAgentFiles } from "./agent-files.ts";
import { endpointOf, type AgentEndpoint } from "./attach.ts";
import { settingsFingerprint, writeBootRecord, type BootRecord } from "./boot-record.ts";
import type { Machine, Program } from "./machine.ts";
import { waitUntilReady } from "./readiness.ts";
import { runStages } from "./stages.ts";
import { basicCredential, fillWorkspace } from "./workspace.ts";

export interface BootRequest {
  readonly machine: Machine;
  readonly sessionId: SessionId;
  readonly spec: SandboxSpec;
  readonly signal: AbortSignal;
  readonly onStage?: ((report: StageReport) => void) | undefined;
}

/** @throws DomainError `sandbox_boot_failed`; the server is stopped then, the files stay as they are */
export const bootEssentials = async (request: BootRequest): Promise<AgentEndpoint> => {
  const { machine, spec } = request;
  const password = randomBytes(24).toString("base64url");
  let launched: Launched | null = null;
  const server = (): Launched => {
    if (launched === null) throw new Error("The launch stage has not run.");
    return launched;
  };
  try {
    await runStages(
      [
        { name: "folder", run: () => machine.prepare() },
        // The server takes a second to start, and looks at its folders only when it is first used: the
        // workspace is filled meanwhile.
        {
          name: "launch",
          run: async () => {
            launched = await launchServer(request, password);
          },
        },
        { name: "clone", run: (signal) => fillWorkspace(machine, spec, signal) },
        {
          name: "agent_files",
          run: async () =>
            writeAgentFiles(machine, { instructions: spec.instructions, cli: await bundleCli() }),
        },
        { name: "ready", run: (signal) => waitUntilReady({ ...server(), signal }) },
      ],
      { signal: request.signal, onStage: request.onStage, secrets: [password, ...secretsOf(spec)] },
    );
    const { baseUrl, authorization } = server();
    return { baseUrl, authorization };
  } catch (error) {
    // The compiler does not see that a stage assigns it.
    await (launched as Launched | null)?.program.stop();
    throw error;
  }
};

interface Launched extends AgentEndpoint {
  readonly program: Program;
}

const launchServer = async (request: BootRequest, password: string): Promise<Launched> => {
  const { machine, spec } = request;
  const ports = await machine.choosePorts();
  const settings = settingsFingerprint(spec, machine);
  const record: BootRecord = { version: 1, password, ports, settings };
  await writeBootRecord(machine.record, record);
  const program = await machine.launch({
    name: "opencode",
    argv: [
      machine.opencodeCommand,
      "serve",
      ...["--hostname", machine.listenHost, "--port", String(ports.opencode)],
    ],
    env: sandboxEnvironment(request, password),
  });
  return { program, ...(await endpointOf(machine, record)) };
};

/** What everything inside may read. Nothing of the control plane's own is in it. */
const sandboxEnvironment = (request: BootRequest, password: string): Record<string, string> => ({
  ...request.spec.environment,
  ...opencodeEnvironment({
    model: request.spec.model,
    instructionsPath: instructionsPath(request.machine),
    password,
  }),
  PROLIFERATE_GATEWAY_URL: request.spec.gateway.url,
  PROLIFERATE_SESSION_ID: request.sessionId,
  PROLIFERATE_SANDBOX_TOKEN: request.spec.gateway.token,
  PROLIFERATE_ENV_FILE: envFilePath(request.machine),
});

/** The values of a spec that must not appear in any text. */
export const secretsOf = (spec: SandboxSpec): readonly string[] => [
  spec.gateway.token,
  spec.model.apiKey,
  ...Object.values(spec.environment ?? {}),
  ...spec.repositories.flatMap(({ credential }) =>
    credential ? [credential.password, basicCredential(credential)] : [],
  ),
];
