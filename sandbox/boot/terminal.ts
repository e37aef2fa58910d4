/**
 * The boot of a sandbox without an agent: what is there before anybody opens a terminal. The additional steps
 * follow by themselves, as behind an agent.
 */
import { randomBytes } from "node:crypto";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { bundleCli } from "../agent/bundle-cli.ts";
import type { WorkspaceSpec } from "../provider/spec.ts";
import {
  type AdditionalBoot,
  type AdditionalPhase,
  startAdditionalBoot,
} from "./additional/phase.ts";
import { startSidecar } from "./additional/sidecar.ts";
import { writeAgentFiles } from "./agent-files.ts";
import { readBootRecord, writeBootRecord } from "./boot-record.ts";
import { ownEnvironment } from "./environment.ts";
import { type BootRequest, secretsOf } from "./essentials.ts";
import { runStages, type Stage } from "./stages.ts";
import { fillWorkspace } from "./workspace.ts";

export interface BootedTerminal {
  readonly warnings: readonly SandboxWarning[];
  /** The additional boot: to be stopped before the sandbox is put away. */
  readonly phase: AdditionalPhase;
}

const minute = 60_000;

/** @throws DomainError `sandbox_boot_failed`; the files stay as they are, and nothing runs */
export const bootTerminal = async (
  request: BootRequest<WorkspaceSpec>,
): Promise<BootedTerminal> => {
  const { machine, spec } = request;
  const mark = randomBytes(24).toString("base64url");
  const secrets = secretsOf(spec);
  const filled = { kept: false, warnings: [] as readonly SandboxWarning[] };
  let boot: AdditionalBoot | null = null;
  const stages: readonly Stage[] = [
    { name: "folder", timeoutMs: 2 * minute, run: () => machine.prepare() },
    {
      name: "clone",
      timeoutMs: 15 * minute,
      run: async (signal) => {
        Object.assign(filled, await fillWorkspace(machine, spec, signal));
      },
    },
    {
      name: "agent_files",
      timeoutMs: 3 * minute,
      run: async () => writeAgentFiles(machine, { instructions: "", cli: await bundleCli() }),
    },
    {
      name: "launch",
      timeoutMs: 2 * minute,
      run: async (signal) => {
        const ports = await machine.choosePorts();
        // No server was launched with these settings, so nobody takes this sandbox's for an agent's.
        const record = {
          version: 1,
          password: mark,
          ports,
          settings: "none",
          whole: false,
        } as const;
        await writeBootRecord(machine.record, record);
        const environment = ownEnvironment(request, ports);
        const started = {
          machine,
          spec,
          ports,
          environment,
          kept: filled.kept,
          now: () => Date.now(),
        };
        await startSidecar(started, signal);
        boot = started;
      },
    },
  ];
  try {
    await runStages(stages, { signal: request.signal, onStage: request.onStage, secrets });
  } catch (error) {
    await (await machine.find("sidecar"))?.stop();
    throw error;
  }
  if (boot === null) throw new Error("A stage has not run.");
  const phase = startAdditionalBoot(boot, {
    signal: request.signal,
    onStage: request.onAdditionalStage,
    secrets,
    isCurrent: async () => (await readBootRecord(machine.record))?.password === mark,
  });
  return { warnings: filled.warnings, phase };
};
