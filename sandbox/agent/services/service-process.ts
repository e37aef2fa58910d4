/**
 * The processes of one service. Each inherits a marker in its environment, by which all of them are found:
 * those that left the process group, and those of a sidecar that died before it could write down their id.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { readProcess, type ProcessRef } from "../../providers/local/processes.ts";
import type { ServiceLog } from "./service-log.ts";
import type { ServiceSpec } from "./service.ts";

const markerVariable = "PROLIFERATE_SERVICE";

/** Different for each sidecar's state folder, so that two on one machine leave each other alone. */
export const serviceMarker = (stateFolder: string, name: string): string =>
  `${createHash("sha256").update(stateFolder).digest("hex").slice(0, 16)}/${name}`;

export interface StartedProcess {
  readonly process: ProcessRef;
  /** Settles when the process has ended, with null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

export interface StartProcess {
  readonly spec: ServiceSpec;
  readonly marker: string;
  readonly log: ServiceLog;
  /** The spec's own variables are put on top. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts the program in a group of its own. Its output goes to the log file and not through this process, so
 * that it lives on when the sidecar ends.
 * @throws Error of Node when it cannot be started
 */
export const startProcess = async (options: StartProcess): Promise<StartedProcess> => {
  const { spec } = options;
  const [program = "", ...args] = spec.argv;
  await using output = await options.log.openForAppend();
  const child = spawn(program, args, {
    cwd: spec.cwd,
    env: { ...options.environment, ...spec.env, [markerVariable]: options.marker },
    detached: true,
    stdio: ["ignore", output.fd, output.fd],
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
  child.unref();
  // Null when it has ended already; the exit event says so.
  const found = await readProcess(pid);
  return { process: { pid, startTime: found?.startTime ?? "ended" }, exited };
};

const graceMs = 5_000;
const pollMs = 25;

/**
 * Ends all processes of a service: SIGTERM, and after five seconds SIGKILL. Fine when there are none.
 * @throws Error if something cannot be killed
 */
export const endProcesses = async (marker: string): Promise<void> => {
  const startedAt = performance.now();
  const asked = new Set<number>();
  for (;;) {
    const pids = await findProcesses(marker);
    if (pids.length === 0) return;
    const elapsed = performance.now() - startedAt;
    if (elapsed > 4 * graceMs) throw new Error(`${pids.length} processes of a service do not end.`);
    for (const pid of pids) {
      if (elapsed >= graceMs) send(pid, "SIGKILL");
      else if (!asked.has(pid)) send(pid, "SIGTERM");
      asked.add(pid);
    }
    await delay(pollMs);
  }
};

const findProcesses = async (marker: string): Promise<readonly number[]> => {
  const entry = `${markerVariable}=${marker}`;
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // Another user's, or gone in this moment: not one of ours.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (environment.split("\0").includes(entry)) found.push(pid);
  }
  return found;
};

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it has just ended. Anything else shows as a process that does not end.
  }
};
