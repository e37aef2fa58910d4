/** A runner in a process of its own, as it is in production: what the benchmark measures. */
import { pino } from "pino";
import {
  cpuUsOfThisProcess,
  residentMb,
  serveCommands,
  usageOfThisProcess,
} from "#infra/bench/worker-process";
import { readConfig } from "../../config.ts";
import { openPlatform } from "../../platform.ts";
import type { Runner } from "../runner.ts";
import { startHostedRunner } from "../testing/start-hosted-runner.ts";

let runner: Runner | undefined;

const commands = {
  start: async (natsUrl: string, databaseUrl: string, hostUrl: string): Promise<void> => {
    const platform = await openPlatform({
      config: readConfig({ ROLES: "runner", DURABILITY: "relaxed" }),
      log: pino({ level: "warn" }, pino.destination(2)),
      natsUrl,
      databaseUrl,
      secretsKey: "33".repeat(32),
    });
    runner = await startHostedRunner(platform, { hostUrl, pauses: true });
  },
  /** How many sessions it owns. */
  owned: (): number => runner?.owned().length ?? 0,
  /** As it is, without a collection of garbage. */
  residentMb,
  cpuUs: cpuUsOfThisProcess,
  usage: usageOfThisProcess,
};
export type RunnerCommands = typeof commands;

serveCommands(commands);
