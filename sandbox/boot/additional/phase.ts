/**
 * The additional boot: what makes a sandbox nicer, done while the agent can work already. Nothing in it
 * fails the session; each step tells how it ended.
 */
import type { StageReport } from "../../provider/provider.ts";
import type { WorkspaceSpec } from "../../provider/spec.ts";
import type { Machine, SandboxPorts } from "../machine.ts";
import { runStagesRegardless, type Stage } from "../stages.ts";
import { writeEnvFiles } from "./env-files.ts";
import { refreshRepositories } from "./freshness.ts";
import { setGitIdentity } from "./git-identity.ts";
import { startImageServices, startServiceCommands } from "./services.ts";
import { startSidecar } from "./sidecar.ts";

export interface AdditionalBoot {
  readonly machine: Machine;
  readonly spec: WorkspaceSpec;
  readonly ports: SandboxPorts;
  /** Whether the workspace was there before this boot. */
  readonly kept: boolean;
  /** What everything inside may read. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface AdditionalRun {
  readonly signal: AbortSignal;
  readonly onStage?: ((report: StageReport) => void) | undefined;
  readonly secrets: readonly string[];
  /** Whether the sandbox still is what the boot has made; nothing is started in another one's place. */
  readonly isCurrent: () => Promise<boolean>;
}

/** Steps that are under way. */
export interface AdditionalPhase {
  /** Resolves when all steps have ended; never rejects. */
  readonly ended: Promise<void>;
  /** Calls off what has not been done, and waits for what is being done. For before a sandbox is put away. */
  stop(): Promise<void>;
}

const minute = 60_000;

export const startAdditionalBoot = (boot: AdditionalBoot, run: AdditionalRun): AdditionalPhase => {
  const stopping = new AbortController();
  const signal = AbortSignal.any([run.signal, stopping.signal]);
  const stage = (
    name: Stage["name"],
    timeoutMs: number,
    step: (boot: AdditionalBoot, signal: AbortSignal) => Promise<void | "skipped">,
  ): Stage => ({
    name,
    timeoutMs,
    run: async (stageSignal) => {
      if (await run.isCurrent()) return step(boot, stageSignal);
      stopping.abort(new Error("The sandbox was put away."));
      return "skipped";
    },
  });
  const ended = runStagesRegardless(
    [
      stage("git_identity", minute, setGitIdentity),
      stage("freshness", 3 * minute, refreshRepositories),
      stage("env_files", minute, writeEnvFiles),
      stage("services", 2 * minute, startImageServices),
      stage("sidecar", minute, startSidecar),
      stage("service_commands", 2 * minute, startServiceCommands),
    ],
    { signal, onStage: run.onStage, secrets: run.secrets },
  );
  return {
    ended,
    stop: async () => {
      stopping.abort(new Error("The sandbox is put away."));
      await ended;
    },
  };
};
