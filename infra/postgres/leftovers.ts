import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive, processesStartedWith, stopProcess } from "../process/running-processes.ts";
import type { StopSignal } from "../process/server-process.ts";

/** SIGINT ends the clients' sessions and closes cleanly, SIGQUIT leaves the rest to recovery. */
export const postgresStopSignals: readonly [StopSignal, StopSignal, StopSignal] = [
  { signal: "SIGINT", waitMs: 15_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
];

/**
 * Clears what a killed process has left of a server on these database files. The caller holds the
 * folder's lock, so a server that still runs on them has lost its parent.
 */
export const clearLeftovers = async (cluster: string): Promise<void> => {
  for (const { pid } of await processesStartedWith("postgres", cluster)) {
    await stopProcess(pid, postgresStopSignals);
  }
  // Postgres itself clears the file of a process that is gone. It refuses to start while another
  // process (or a zombie) has got the number, which only we can tell apart.
  const lockFile = join(cluster, "postmaster.pid");
  const pid = await readPid(lockFile);
  if (pid !== undefined && (await numberIsTaken(pid))) await rm(lockFile, { force: true });
};

const numberIsTaken = async (pid: number): Promise<boolean> => {
  if (await isAlive(pid)) return true;
  try {
    process.kill(pid, 0);
    return true; // Not alive, yet there: a zombie.
  } catch {
    // Nobody has the number.
    return false;
  }
};

const readPid = async (lockFile: string): Promise<number | undefined> => {
  let text: string;
  try {
    text = await readFile(lockFile, "utf8");
  } catch {
    // It was stopped cleanly, or has never run.
    return undefined;
  }
  const pid = Number.parseInt(text, 10);
  return Number.isNaN(pid) ? undefined : pid;
};
