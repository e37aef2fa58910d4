/**
 * The essential boot: everything that has to be there before the first prompt. What only makes a sandbox
 * nicer follows by itself, in `additional/phase.ts`.
 */
import { randomBytes } from "node:crypto";
import type { SessionId } from "#contracts/ids";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { bundleCli } from "../agent/bundle-cli.ts";
import { browserCommand, opencodeEnvironment } from "../opencode/config.ts";
import type { StageReport } from "../provider/provider.ts";
import type { SandboxSpec, WorkspaceSpec } from "../provider/spec.ts";
import { type AdditionalPhase, startAdditionalBoot } from "./additional/phase.ts";
import { instructionsPath, writeAgentFiles } from "./agent-files.ts";
import { endpointOf, type AgentEndpoint } from "./attach.ts";
import {
  readBootRecord,
  settingsFingerprint,
  writeBootRecord,
  type BootRecord,
} from "./boot-record.ts";
import { ownEnvironment } from "./environment.ts";
import { basicCredential } from "./git.ts";
import type { Machine, Program } from "./machine.ts";
import { waitUntilReady } from "./readiness.ts";
import { runStages, type Stage } from "./stages.ts";
import { type FilledWorkspace, fillWorkspace } from "./workspace.ts";
import { writeWorkspaceFiles } from "./workspace-files.ts";

export interface BootRequest<Spec extends WorkspaceSpec = SandboxSpec> {
  readonly machine: Machine;
  readonly sessionId: SessionId;
  readonly spec: Spec;
  /** Calls off the essential boot, and afterwards the additional one. */
  readonly signal: AbortSignal;
  readonly onStage?: ((report: StageReport) => void) | undefined;
  readonly onAdditionalStage?: ((report: StageReport) => void) | undefined;
}

export interface Booted extends AgentEndpoint {
  readonly warnings: readonly SandboxWarning[];
  /** The additional boot: to be stopped before the sandbox is put away. */
  readonly phase: AdditionalPhase;
}

const minute = 60_000;

/** @throws DomainError `sandbox_boot_failed`; the server is stopped then, the files stay as they are */
export const bootEssentials = async (request: BootRequest): Promise<Booted> => {
  const { machine, spec } = request;
  const password = randomBytes(24).toString("base64url");
  const secrets = [password, ...secretsOf(spec)];
  let filled: FilledWorkspace | null = null;
  let launched: Launched | null = null;
  const made = <T>(value: T | null): T => {
    if (value === null) throw new Error("A stage has not run.");
    return value;
  };
  const stages: readonly Stage[] = [
    { name: "folder", timeoutMs: 2 * minute, run: () => machine.prepare() },
    // The server takes a second to start, and looks at its folders only when it is first used: the
    // workspace is filled meanwhile.
    {
      name: "launch",
      timeoutMs: 2 * minute,
      run: async () => {
        launched = await launchServer(request, password);
      },
    },
    {
      name: "clone",
      timeoutMs: 15 * minute,
      run: async (signal) => {
        filled = await fillWorkspace(machine, spec, signal);
      },
    },
    { name: "agent_files", timeoutMs: 3 * minute, run: () => writeFiles(request) },
    {
      name: "ready",
      timeoutMs: 2 * minute,
      run: (signal) => waitUntilReady({ ...made(launched), signal }),
    },
  ];
  try {
    await runStages(stages, { signal: request.signal, onStage: request.onStage, secrets });
    const { baseUrl, authorization, record } = made<Launched>(launched);
    const { ports } = record;
    await writeBootRecord(machine.record, { ...record, whole: true });
    const { kept, warnings } = made<FilledWorkspace>(filled);
    const phase = startAdditionalBoot(
      {
        ...{ machine, spec, ports, kept },
        environment: ownEnvironment(request, ports),
        now: () => Date.now(),
      },
      {
        signal: request.signal,
        onStage: request.onAdditionalStage,
        secrets,
        isCurrent: async () => (await readBootRecord(machine.record))?.password === password,
      },
    );
    return { baseUrl, authorization, warnings, phase };
  } catch (error) {
    // The compiler does not see that a stage assigns it.
    await (launched as Launched | null)?.program.stop();
    throw error;
  }
};

interface Launched extends AgentEndpoint {
  readonly program: Program;
  readonly record: BootRecord;
}

const writeFiles = async ({ machine, spec }: BootRequest): Promise<void> => {
  const { instructions, kind = "coding" } = spec;
  await writeAgentFiles(machine, { instructions, cli: await bundleCli() });
  await writeWorkspaceFiles(machine, kind);
};

const launchServer = async (request: BootRequest, password: string): Promise<Launched> => {
  const { machine, spec } = request;
  const ports = await machine.choosePorts();
  const settings = settingsFingerprint(spec, machine);
  const record: BootRecord = { version: 1, password, ports, settings, whole: false };
  await writeBootRecord(machine.record, record);
  const program = await machine.launch({
    name: "opencode",
    argv: [
      machine.opencodeCommand,
      "serve",
      ...["--hostname", machine.listenHost, "--port", String(ports.opencode)],
    ],
    env: {
      ...ownEnvironment(request, ports),
      ...opencodeEnvironment({
        model: spec.model,
        instructionsPath: instructionsPath(machine),
        browser: await hasBrowser(machine),
        toolPermissions: spec.toolPermissions,
        password,
      }),
    },
  });
  return { program, record, ...(await endpointOf(machine, record)) };
};

const hasBrowser = async ({ exec }: Machine): Promise<boolean> =>
  (await exec(["sh", "-c", `command -v ${browserCommand}`])).exitCode === 0;

/** The values of a spec that must not appear in any text. */
export const secretsOf = (
  spec: WorkspaceSpec & Partial<Pick<SandboxSpec, "model">>,
): readonly string[] => [
  spec.gateway.token,
  ...(spec.model ? [spec.model.apiKey] : []),
  ...Object.values(spec.environment ?? {}),
  ...spec.repositories.flatMap(({ credential }) =>
    credential ? [credential.password, basicCredential(credential)] : [],
  ),
];
