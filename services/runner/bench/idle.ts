/** What a runner needs for sessions that rest. */
import { setTimeout as delay } from "node:timers/promises";
import { type BenchServers, withBenchSessions } from "./bench-sessions.ts";

export interface IdleFigures {
  /** What the runner's process has in memory, as it is, with so many sessions that rest after an answer. */
  readonly idleSessionsRssMb: number;
  readonly idleDetails: {
    /** How many of the sessions the runner still had by then: all, unless it was starved of CPU. */
    readonly owned: number;
    /** Without sessions. */
    readonly emptyRssMb: number;
    /** With them, after a collection of garbage. */
    readonly collectedRssMb: number;
    /** What each session has added to that. */
    readonly kbPerSession: number;
    /** CPU time of the runner while nothing happens, as a share of a core. */
    readonly cpuShare: number;
  };
}

const restMs = 20_000;
const mb = 1_048_576;

export const measureIdle = (servers: BenchServers, count: number): Promise<IdleFigures> =>
  withBenchSessions(servers, async ({ runner, open }) => {
    const empty = await runner.call("usage");
    await open(count);
    const before = await runner.call("cpuUs");
    await delay(restMs);
    const cpuUs = (await runner.call("cpuUs")) - before;
    const idleSessionsRssMb = await runner.call("residentMb");
    const owned = await runner.call("owned");
    const { rssBytes } = await runner.call("usage");
    return {
      idleSessionsRssMb,
      idleDetails: {
        owned,
        emptyRssMb: Math.round(empty.rssBytes / mb),
        collectedRssMb: Math.round(rssBytes / mb),
        kbPerSession: Math.round((rssBytes - empty.rssBytes) / 1_024 / count),
        cpuShare: Number((cpuUs / (restMs * 1_000)).toFixed(3)),
      },
    };
  });
