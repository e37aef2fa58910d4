/** How long all read models take to be built anew, and how much memory: `npm run bench rebuild`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { bundledProgram } from "#infra/process/bundled-program";
import { withBenchStack } from "./bench-stack.ts";
import { fillLog } from "./fill-log.ts";

export interface RebuildBench {
  readonly events: number;
  readonly seconds: number;
  /** The most that the process that builds had in memory, sampled ten times a second; it runs as in production. */
  readonly rssMb: number;
  /** The same for the first and the last quarter of the time: a leak would show. */
  readonly rssMbOfQuarters: { readonly first: number; readonly last: number };
}

const followParent = new URL("../../infra/bootstrap/follow-parent.mjs", import.meta.url).pathname;
const sampleMs = 100;
const commitsPerSession = 178;

export const benchRebuild = (events = 1_000_000): Promise<RebuildBench> =>
  withBenchStack(async ({ store, natsUrl, databaseUrl }) => {
    const commits = await fillLog(store, { commits: events, commitsPerSession });
    const program = await bundledProgram(new URL("./rebuild-process.ts", import.meta.url));
    const child = spawn(
      process.execPath,
      ["--import", followParent, program, natsUrl, databaseUrl],
      { stdio: ["ignore", "pipe", "inherit", "ipc"] },
    );
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const ended = once(child, "exit");
    const samples: number[] = [];
    while (child.exitCode === null && child.signalCode === null) {
      samples.push(await residentMb(child.pid ?? 0));
      await delay(sampleMs);
    }
    await ended;
    const seconds = Number(output);
    if (child.exitCode !== 0 || !(seconds > 0)) throw new Error("The build has failed.");
    const quarter = Math.ceil(samples.length / 4);
    return {
      events: commits,
      seconds,
      rssMb: Math.max(...samples),
      rssMbOfQuarters: {
        first: Math.max(...samples.slice(0, quarter)),
        last: Math.max(...samples.slice(-quarter)),
      },
    };
  });

/** What a process has in memory, in MB; 0 when it is gone. */
const residentMb = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024);
};
