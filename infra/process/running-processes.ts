import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const pollMs = 25;

export interface RunningProcess {
  readonly pid: number;
  /** The command line, the program first. */
  readonly argv: readonly string[];
}

/** Processes of `program` (its file name) that were started with exactly this argument. */
export const processesStartedWith = async (
  program: string,
  argument: string,
): Promise<RunningProcess[]> => {
  const running = process.platform === "linux" ? await listFromProc() : await listFromPs();
  return running.filter(
    ({ argv }) => basename(argv[0] ?? "") === program && argv.slice(1).includes(argument),
  );
};

/** Whether a process is there and is more than an exit status that nobody has collected. */
export const isAlive = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  if (process.platform !== "linux") return true;
  const argv = await readArgv(pid);
  return argv.length > 0;
};

/**
 * Sends the signals in turn, each time waiting for the process to go, and says whether it went.
 * Fine for a process that is gone already.
 */
export const stopProcess = async (
  pid: number,
  signals: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[],
): Promise<boolean> => {
  for (const { signal, waitMs } of signals) {
    if (!(await isAlive(pid))) return true;
    sendSignal(pid, signal);
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (!(await isAlive(pid))) return true;
      await delay(pollMs);
    }
  }
  return !(await isAlive(pid));
};

const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it went by itself since it was looked at, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

/** Empty for a process that has gone, a zombie and a kernel thread. */
const readArgv = async (pid: number): Promise<string[]> => {
  try {
    const line = await readFile(`/proc/${String(pid)}/cmdline`, "utf8");
    return line === "" ? [] : line.replace(/\0$/, "").split("\0");
  } catch {
    // The process ended between listing and reading.
    return [];
  }
};

const listFromProc = async (): Promise<RunningProcess[]> => {
  const names = await readdir("/proc");
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return Promise.all(pids.map(async (pid) => ({ pid, argv: await readArgv(pid) })));
};

/** `ps` does not quote, so a path with a space in it is not recognised. */
const listFromPs = async (): Promise<RunningProcess[]> => {
  const { stdout } = await promisify(execFile)("ps", ["-axo", "pid=,command="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, ...argv]) => ({ pid: Number(pid), argv }));
};
