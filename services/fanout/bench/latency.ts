/** From a runner's publish until a watcher has it, in 200 sessions of 50 tokens a second each. */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "#event-store/bench/percentile";
import type { EventStore } from "#event-store/event-store";
import { cpuUsOfThisProcess, startWorker } from "#infra/bench/worker-process";
import { cpuUsOf } from "#projections/bench/cpu";
import { defaultLimits } from "../limits.ts";
import {
  type BenchSession,
  newBenchSessions,
  sharedClockUs,
  streamToken,
  ticketOf,
} from "./bench-sessions.ts";
import type { TierCommands } from "./tier-process.ts";
import type { WatchersCommands } from "./watchers-process.ts";

export interface LatencyFigures {
  /** Without batching. */
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  /** The same with the usual batching. */
  readonly batchedLatencyMs: { readonly p50: number; readonly p99: number };
  /** What the usual batching adds to the median. */
  readonly batchingMs: number;
  /** CPU time of each process for a message, in microseconds, without batching: whose core is full. */
  readonly latencyCpuUs: CpuUs;
}

interface CpuUs {
  /** In place of the runners. */
  readonly publisher: number;
  readonly log: number;
  readonly tier: number;
  readonly watchers: number;
}

interface Measured {
  readonly ms: readonly number[];
  readonly cpuUs: CpuUs;
}

/** The server of the log. */
interface Server {
  readonly url: string;
  readonly pid: number;
}

const sessions = 200;
const tokensPerSecond = 50;
const seconds = { warm: 2, measured: 8 };
const tokensIn = (forSeconds: number): number => sessions * tokensPerSecond * forSeconds;
/** After so many, the log's server has read what it was sent before the next ones are sent. */
const flushEvery = 1_000;

export const measureLatency = async (store: EventStore, nats: Server): Promise<LatencyFigures> => {
  const plain = await latencies(store, nats, 0);
  const batched = await latencies(store, nats, defaultLimits.batchWindowMs);
  const latencyMs = figuresOf(plain.ms);
  const batchedLatencyMs = figuresOf(batched.ms);
  return {
    latencyMs,
    batchedLatencyMs,
    batchingMs: Number((batchedLatencyMs.p50 - latencyMs.p50).toFixed(1)),
    latencyCpuUs: plain.cpuUs,
  };
};

const figuresOf = (ms: readonly number[]) => ({ p50: percentile(ms, 50), p99: percentile(ms, 99) });

const latencies = async (
  store: EventStore,
  nats: Server,
  batchWindowMs: number,
): Promise<Measured> => {
  const tier = startWorker<TierCommands>(new URL("./tier-process.ts", import.meta.url));
  const watchers = startWorker<WatchersCommands>(new URL("./watchers-process.ts", import.meta.url));
  const usedSoFar = async (): Promise<CpuUs> => ({
    publisher: cpuUsOfThisProcess(),
    log: await cpuUsOf(nats.pid),
    tier: await tier.call("cpuUs"),
    watchers: await watchers.call("cpuUs"),
  });
  try {
    const watched = newBenchSessions(sessions);
    const port = await tier.call("start", nats.url, batchWindowMs);
    await watchers.call("connect", port, await Promise.all(watched.map(ticketOf)), 1, true);
    await stream(store, watched, seconds.warm);
    await watchers.call("untilTimed", tokensIn(seconds.warm));
    await watchers.call("latencies");
    const before = await usedSoFar();
    await stream(store, watched, seconds.measured);
    await watchers.call("untilTimed", tokensIn(seconds.measured));
    const after = await usedSoFar();
    const perMessage = (of: keyof CpuUs): number =>
      Math.round((after[of] - before[of]) / tokensIn(seconds.measured));
    return {
      ms: await watchers.call("latencies"),
      cpuUs: {
        publisher: perMessage("publisher"),
        log: perMessage("log"),
        tier: perMessage("tier"),
        watchers: perMessage("watchers"),
      },
    };
  } finally {
    await Promise.all([tier.stop(), watchers.stop()]);
  }
};

/** Session after session: evenly spread over the time, as agents that know nothing of each other. */
const stream = async (
  store: EventStore,
  watched: readonly BenchSession[],
  forSeconds: number,
): Promise<void> => {
  const begun = performance.now();
  const begunUs = sharedClockUs();
  const asked: Promise<void>[] = [];
  for (let index = 0; index < tokensIn(forSeconds); index += 1) {
    const dueMs = (index * 1_000) / (sessions * tokensPerSecond);
    const early = begun + dueMs - performance.now();
    if (early > 1) await delay(early);
    // What the log has not taken in yet is no longer than this: it would be dropped some day.
    if (index % flushEvery === 0) await store.connection.flush();
    const session = watched[index % sessions];
    // When it was due, and not when it was sent: who falls behind may not hide it.
    const delta = `${Math.round(begunUs + dueMs * 1_000)};`;
    if (session) asked.push(streamToken(store, session, delta));
  }
  await Promise.all(asked);
};
