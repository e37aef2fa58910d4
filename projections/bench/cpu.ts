/** What work costs, also in CPU time: that depends far less than a rate on what else the machine does. */
import { readdir, readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import type { Sql } from "postgres";

export interface Cost {
  readonly ms: number;
  /** CPU time of this process (the projector, or whoever copies), in microseconds. */
  readonly ownUs: number;
  /** The same of all processes of the Postgres server; 0 on a system that does not tell (no `/proc`). */
  readonly postgresUs: number;
}

/** What a piece of work costs; `sql` is a connection to the server whose part is counted. */
export const costOf = async (sql: Sql, work: () => Promise<unknown>): Promise<Cost> => {
  const postgresBefore = await postgresCpuUs(sql);
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { ms, ownUs: user + system, postgresUs: (await postgresCpuUs(sql)) - postgresBefore };
};

/** Linux counts in hundredths of a second, whatever its own clock does. */
const tickUs = 10_000;

/** CPU time that a process has used so far, in microseconds; 0 on a system that does not tell (no `/proc`). */
export const cpuUsOf = async (pid: number): Promise<number> =>
  ((await readStat(pid))?.own ?? 0) * tickUs;

interface ProcessStat {
  readonly parent: number;
  readonly own: number;
  /** Of the children that have ended. */
  readonly ended: number;
}

const postgresCpuUs = async (sql: Sql): Promise<number> => {
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const server = (await readStat(backend?.pid ?? 0))?.parent;
  if (server === undefined) return 0;
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  let ticks = 0;
  for (const pid of pids) {
    const stat = await readStat(pid);
    if (pid === server) ticks += (stat?.own ?? 0) + (stat?.ended ?? 0);
    else if (stat?.parent === server) ticks += stat.own;
  }
  return ticks * tickUs;
};

/** Undefined for a process that is gone, and on a system that has no `/proc`. See proc_pid_stat(5). */
const readStat = async (pid: number): Promise<ProcessStat | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  if (text === "") return undefined;
  // the name, in parentheses, may have spaces in it
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
};
