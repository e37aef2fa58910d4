/**
 * Finds and ends the processes of a sandbox, also those that left its process group (OpenCode starts each
 * shell in a session of its own, and such a shell survives its server).
 *
 * Every process of a sandbox inherits `PROLIFERATE_SANDBOX=<id>`. A process that cleared its environment is
 * still found as a descendant; without bubblewrap one that also left its parents is not.
 */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import { DomainError } from "#contracts/errors";

export const markerVariable = "PROLIFERATE_SANDBOX";

/** A process id alone may be reused; with its start time (in clock ticks since boot) it may not. */
export interface ProcessRef {
  readonly pid: number;
  readonly startTime: string;
}

interface ProcessStat extends ProcessRef {
  readonly parent: number;
}

/** Null if there is no such process, or only its exit status is left of it. */
export const readProcess = async (pid: number): Promise<ProcessStat | null> => {
  const stat = await readProc(pid, "stat");
  // The second field is the program's name in parentheses, and may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, startTime] = [fields?.[0], fields?.[1], fields?.[19]];
  if (state === undefined || parent === undefined || startTime === undefined) return null;
  if (state === "Z" || state === "X") return null;
  return { pid, parent: Number(parent), startTime };
};

export const isSameProcess = async (ref: ProcessRef): Promise<boolean> =>
  (await readProcess(ref.pid))?.startTime === ref.startTime;

/** The processes that carry the marker, and all their descendants. */
export const findSandboxProcesses = (sandboxId: string): Promise<readonly ProcessRef[]> =>
  findTrees(({ pid }) => carriesMarker(pid, sandboxId));

/** More only wait for each other in Node's pool of threads. */
const readsAtOnce = 8;

/** The processes that `isRoot` knows, and all their descendants. */
const findTrees = async (
  isRoot: (stat: ProcessStat) => boolean | Promise<boolean>,
): Promise<readonly ProcessRef[]> => {
  const all = new Map<number, ProcessStat>();
  const found = new Set<number>();
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  await pLimit(readsAtOnce).map(pids, async (pid) => {
    if (pid === process.pid) return;
    const stat = await readProcess(pid);
    if (stat === null) return;
    all.set(pid, stat);
    if (await isRoot(stat)) found.add(pid);
  });
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of all.values()) if (found.has(parent)) found.add(pid);
  }
  return [...all.values()].filter(({ pid }) => found.has(pid));
};

/** Stops all processes of a sandbox where they are, also those that begin while it looks for them. */
export const freezeSandbox = async (sandboxId: string): Promise<void> => {
  const stopped = new Set<string>();
  for (let before = -1; before !== stopped.size;) {
    before = stopped.size;
    for (const { pid, startTime } of await findSandboxProcesses(sandboxId)) {
      signalProcess(pid, "SIGSTOP");
      stopped.add(`${pid} ${startTime}`);
    }
  }
};

/** Lets the processes of a frozen sandbox go on. */
export const thawSandbox = async (sandboxId: string): Promise<void> => {
  for (const { pid } of await findSandboxProcesses(sandboxId)) signalProcess(pid, "SIGCONT");
};

export interface EndLimits {
  /** How long processes may take to end by themselves after SIGTERM. */
  readonly graceMs: number;
  readonly timeoutMs: number;
}

/** Programs of the agent get a moment to end by themselves. */
const defaultEndLimits: EndLimits = { graceMs: 1_000, timeoutMs: 15_000 };

/** @throws DomainError `sandbox_unavailable` if something cannot be killed */
export const endSandboxProcesses = (
  sandboxId: string,
  limits: EndLimits = defaultEndLimits,
): Promise<void> => endAll(() => findSandboxProcesses(sandboxId), limits);

/** Ends one process and its descendants. @throws DomainError `sandbox_unavailable` as above */
export const endProcessTree = (ref: ProcessRef): Promise<void> =>
  endAll(
    () => findTrees(({ pid, startTime }) => pid === ref.pid && startTime === ref.startTime),
    defaultEndLimits,
  );

const endAll = async (
  find: () => Promise<readonly ProcessRef[]>,
  { graceMs, timeoutMs }: EndLimits,
): Promise<void> => {
  const startedAt = performance.now();
  const tracked = new Map<number, ProcessRef>();
  for (;;) {
    // Looking through all processes is dear, so it is done once per round and not while waiting.
    for (const ref of await find()) tracked.set(ref.pid, ref);
    await untilEnded(tracked, 0);
    if (tracked.size === 0) return;
    const elapsed = performance.now() - startedAt;
    if (elapsed > timeoutMs) {
      throw new DomainError(
        "sandbox_unavailable",
        `${tracked.size} processes of a sandbox do not end.`,
      );
    }
    const asking = elapsed < graceMs;
    for (const { pid } of tracked.values()) signalProcess(pid, asking ? "SIGTERM" : "SIGKILL");
    await untilEnded(tracked, asking ? graceMs - elapsed : 500);
  }
};

/** Forgets processes as they end; returns when none is left or the time is over. */
const untilEnded = async (tracked: Map<number, ProcessRef>, ms: number): Promise<void> => {
  const deadline = performance.now() + ms;
  for (;;) {
    for (const ref of tracked.values()) if (!(await isSameProcess(ref))) tracked.delete(ref.pid);
    if (tracked.size === 0 || performance.now() >= deadline) return;
    await delay(20);
  }
};

const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it has just ended. Anything else shows as a process that does not end.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
};

const carriesMarker = async (pid: number, sandboxId: string): Promise<boolean> => {
  const environment = await readProc(pid, "environ");
  return environment?.split("\0").includes(`${markerVariable}=${sandboxId}`) ?? false;
};

/** Null when the process is gone or belongs to somebody else. */
const readProc = (pid: number, file: string): Promise<string | null> =>
  readFile(`/proc/${pid}/${file}`, "utf8").catch(() => null);
