/** Stands in for the sandboxes, each with a server of its own, in a process beside the one that is measured. */
import { serveCommands, usageOfThisProcess } from "#infra/bench/worker-process";
import { startSandboxHost } from "../testing/sandbox-host.ts";
import { replayRecording } from "./replay.ts";

const commands = {
  /** Answers where `hosted-provider.ts` finds it. */
  start: async (): Promise<string> => (await startSandboxHost(replayRecording)).url,
  usage: usageOfThisProcess,
};
export type HostCommands = typeof commands;

serveCommands(commands);
