/** From a runner's publish until a watcher has it, in 200 sessions of 50 tokens a second each. */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "#event-store/bench/percentile";
import type { EventStore } from "#event-store/event-store";
import { startWorker } from "#infra/bench/worker-process";
import { defaultLimits } from "../limits.ts";
import { newBenchSessions, publishToken, sharedClockUs, ticketOf } from "./bench-sessions.ts";
import type { TierCommands } from "./tier-process.ts";
import type { WatchersCommands } from "./watchers-process.ts";

export interface LatencyFigures {
  /** Without batching. */
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  /** What the usual batching adds to the median. */
  readonly batchingMs: number;
}

const sessions = 200;
const tokensPerSecond = 50;
const seconds = { warm: 2, measured: 8 };
/** Publishes that are not yet acknowledged; a log that has so many has fallen behind. */
const maxInFlight = 1_000;

export const measureLatency = async (
  store: EventStore,
  natsUrl: string,
): Promise<LatencyFigures> => {
  const plain = await latencies(store, natsUrl, 0);
  const batched = await latencies(store, natsUrl, defaultLimits.batchWindowMs);
  return {
    latencyMs: { p50: percentile(plain, 50), p99: percentile(plain, 99) },
    batchingMs: Number((percentile(batched, 50) - percentile(plain, 50)).toFixed(1)),
  };
};

const latencies = async (
  store: EventStore,
  natsUrl: string,
  batchWindowMs: number,
): Promise<readonly number[]> => {
  const tier = startWorker<TierCommands>(new URL("./tier-process.ts", import.meta.url));
  const watchers = startWorker<WatchersCommands>(new URL("./watchers-process.ts", import.meta.url));
  try {
    const watched = newBenchSessions(sessions);
    const port = await tier.call("start", natsUrl, batchWindowMs);
    await watchers.call("connect", port, await Promise.all(watched.map(ticketOf)), 1, true);
    const stream = async (forSeconds: number): Promise<void> => {
      const begun = performance.now();
      const begunUs = sharedClockUs();
      const sent: Promise<void>[] = [];
      // Session after session: evenly spread over the time, as agents that know nothing of each other.
      for (let index = 0; index < sessions * tokensPerSecond * forSeconds; index += 1) {
        const dueMs = (index * 1_000) / (sessions * tokensPerSecond);
        const early = begun + dueMs - performance.now();
        if (early > 1) await delay(early);
        if (sent.length >= maxInFlight) await sent.shift();
        const session = watched[index % sessions];
        // When it was due, and not when it was sent: who falls behind may not hide it.
        const delta = `${Math.round(begunUs + dueMs * 1_000)};`;
        if (session) sent.push(publishToken(store, session, delta));
      }
      await Promise.all(sent);
      await delay(2 * defaultLimits.batchWindowMs);
    };
    await stream(seconds.warm);
    await watchers.call("latencies");
    await stream(seconds.measured);
    return await watchers.call("latencies");
  } finally {
    await Promise.all([tier.stop(), watchers.stop()]);
  }
};
