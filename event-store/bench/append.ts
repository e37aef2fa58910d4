/** Appends beside raw JetStream publishes of the same bytes, in the same run on the same server. */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { startNats } from "#infra/nats/embedded-nats";
import { findNatsServer } from "#infra/nats/find-nats-server";
import { append } from "../append/append.ts";
import { connectToNats } from "../connection.ts";
import { type Durability, durabilities } from "../durability.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import type { ExpectedVersion } from "../append/expected-version.ts";
import { newBenchCommit, newBenchIds, newBenchRef } from "./commits.ts";
import { percentile } from "./percentile.ts";
import { addRawStreams, rawPublisher } from "./raw-publisher.ts";

export interface AppendFigures {
  readonly perSecond: number;
  /** Against raw publishes of the same messages, expected sequence and all, by as many writers. */
  readonly ratioToRaw: number;
  /** Against raw publishes without an expected sequence, which the server has less to do for. */
  readonly ratioToUnchecked: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface AppendsOfMode {
  readonly sequential: AppendFigures;
  readonly concurrent64: AppendFigures;
}

export interface AppendBench extends AppendsOfMode {
  /** The same where each append is synced; the others are of the mode `relaxed`. */
  readonly fsync: AppendsOfMode;
}

const rounds = 5;
/** Enough for a round to last half a second: in shorter ones, the first commit of each writer counts most. */
const commitsPerRound = { sequential: 4_000, concurrent: 16_000 };

/** Measures appends; raw and append take turns, so that both see the same machine. */
export const benchAppend = async (dataDir: string): Promise<AppendBench> => ({
  ...(await benchMode(join(dataDir, "relaxed"), "relaxed")),
  fsync: await benchMode(join(dataDir, "fsync"), "fsync"),
});

const benchMode = async (dataDir: string, durability: Durability): Promise<AppendsOfMode> => {
  const nats = await startNats({
    dataDir,
    endsWithParent: true,
    binary: await findNatsServer({ env: process.env }),
    syncInterval: durabilities[durability].syncInterval,
  });
  try {
    const connection = await connectToNats({ url: nats.url, name: "bench" });
    const store = await openEventStore({ connection, durability });
    await addRawStreams(store.jsm, store.shards);
    const figures = {
      sequential: await measure(store, 1),
      concurrent64: await measure(store, 64),
    };
    await connection.close();
    return figures;
  } finally {
    await nats.stop();
  }
};

const measure = async (store: EventStore, writers: number): Promise<AppendFigures> => {
  const ratios: number[] = [];
  const uncheckedRatios: number[] = [];
  const rates: number[] = [];
  const latencies: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const unchecked = await run(writers, rawWriter(store, "unchecked"));
    const raw = await run(writers, rawWriter(store, "checked"));
    const ours = await run(writers, appendWriter(store));
    // The first round warms both up.
    if (round > 0) {
      ratios.push(ours.perSecond / raw.perSecond);
      uncheckedRatios.push(ours.perSecond / unchecked.perSecond);
      rates.push(ours.perSecond);
      latencies.push(...ours.latencies);
    }
  }
  return {
    perSecond: Math.round(percentile(rates, 50)),
    ratioToRaw: percentile(ratios, 50),
    ratioToUnchecked: percentile(uncheckedRatios, 50),
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
  };
};

/** Makes everything that a writer is to write, and answers what writes one of it. */
type Writer = (count: number) => (index: number) => Promise<void>;

const run = async (
  writers: number,
  writer: Writer,
): Promise<{ readonly perSecond: number; readonly latencies: readonly number[] }> => {
  const latencies: number[] = [];
  const commits = writers === 1 ? commitsPerRound.sequential : commitsPerRound.concurrent;
  const perWriter = Math.ceil(commits / writers);
  const prepared = Array.from({ length: writers }, () => writer(perWriter));
  const startedAt = performance.now();
  await Promise.all(
    prepared.map(async (write) => {
      for (let index = 0; index < perWriter; index += 1) {
        const before = performance.now();
        await write(index);
        latencies.push(performance.now() - before);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return { perSecond: (perWriter * writers) / seconds, latencies };
};

/** Publishes what was made before, so that only the publishing is measured. */
const rawWriter =
  (store: EventStore, kind: "checked" | "unchecked"): Writer =>
  (count) => {
    const { newMessage, publish } = rawPublisher(store, kind);
    const messages = Array.from({ length: count }, newMessage);
    return async (index) => {
      await publish(messages[index] ?? newMessage());
    };
  };

const appendWriter =
  (store: EventStore): Writer =>
  (count) => {
    const ref = newBenchRef();
    const ids = Array.from({ length: count }, newBenchIds);
    let expected: ExpectedVersion = "new";
    return async (index) => {
      // Made as it is wanted, as a decider does: thousands that lie ready are out of the CPU's caches.
      expected = await append(store, ref, newBenchCommit(ids[index]), { expected });
    };
  };
