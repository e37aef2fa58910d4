/** The long-running programs of one local sandbox: detached processes that outlive the control plane. */
import { spawn } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { DomainError } from "#contracts/errors";
import type { Program, ProgramLaunch, ProgramName } from "../../boot/machine.ts";
import type { Argv } from "../../provider/exec.ts";
import type { Layout } from "./layout.ts";
import { endProcessTree, isSameProcess, readProcess, type ProcessRef } from "./processes.ts";
import { programLog, readProgramProcess, writeProgramProcess } from "./run-folder.ts";

const logTailBytes = 2_000;

export interface DetachedStart {
  readonly argv: Argv;
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Record<string, string>;
}

/** @param prepare fences a launch and completes its environment */
export const localPrograms = (
  layout: Layout,
  prepare: (launch: ProgramLaunch) => Promise<DetachedStart>,
) => {
  const programOf = (name: ProgramName, ref: ProcessRef): Program => ({
    running: () => isSameProcess(ref),
    logTail: () => logTail(programLog(layout, name)),
    stop: () => endProcessTree(ref),
  });
  return {
    launch: async (launch: ProgramLaunch): Promise<Program> => {
      const ref = await startDetached(await prepare(launch), programLog(layout, launch.name));
      await writeProgramProcess(layout, launch.name, ref);
      return programOf(launch.name, ref);
    },
    find: async (name: ProgramName): Promise<Program | null> => {
      const ref = await readProgramProcess(layout, name);
      return ref !== null && (await isSameProcess(ref)) ? programOf(name, ref) : null;
    },
  };
};

const logTail = async (log: string): Promise<string> =>
  (await readFile(log, "utf8")).slice(-logTailBytes).trim();

/** Its output goes to a file and not to a pipe, so the program outlives this process. */
const startDetached = async (start: DetachedStart, logFile: string): Promise<ProcessRef> => {
  await using log = await open(logFile, "w", 0o600);
  const [program, ...args] = start.argv;
  const child = spawn(program, args, {
    cwd: start.cwd,
    env: start.env,
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
  child.unref();
  const stat = await readProcess(pid);
  if (stat === null) {
    throw new DomainError(
      "sandbox_unavailable",
      `The program ended at once. It said: ${await logTail(logFile)}`,
    );
  }
  return { pid, startTime: stat.startTime };
};
