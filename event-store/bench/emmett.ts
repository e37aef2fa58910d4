/** Appends beside Emmett's on PostgreSQL: the same events, as many writers, the same durability. */
import { join } from "node:path";
import { installPeers } from "#infra/bench/install-peers";
import { startNats } from "#infra/nats/embedded-nats";
import { findNatsServer } from "#infra/nats/find-nats-server";
import { startPostgres } from "#infra/postgres/embedded-postgres";
import { append } from "../append/append.ts";
import { connectToNats } from "../connection.ts";
import { durabilities } from "../durability.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import type { ExpectedVersion } from "../append/expected-version.ts";
import { newBenchCommit, newBenchRef } from "./commits.ts";
import { percentile } from "./percentile.ts";
import { addRawStreams, rawPublisher } from "./raw-publisher.ts";

interface Ratios {
  /** How many times as many appends per second as Emmett's, with one writer. */
  readonly sequentialRatio: number;
  /** The same with 64 writers. */
  readonly concurrent64Ratio: number;
  /** The same of raw publishes to as many streams: more than JetStream itself, only shared syncs can give. */
  readonly raw: { readonly sequentialRatio: number; readonly concurrent64Ratio: number };
  readonly perSecond: { readonly sequential: Rates; readonly concurrent64: Rates };
}

/** Appends, or publishes, per second. */
interface Rates {
  readonly ours: number;
  readonly raw: number;
  readonly emmett: number;
}

/** Both acknowledge what is on disk; in `relaxed`, what the server's process has taken. */
export interface EmmettBench extends Ratios {
  readonly relaxed: Ratios;
  /** As the first, with ours in one stream, as the embedded server comes: there, commits share syncs. */
  readonly oneShard: Ratios;
}

const rounds = 5;
const appendsPerRound = { sequential: 500, concurrent: 4_000 };
/** As in a cluster. The streams of a server sync beside each other. */
const shardsOfCluster = 8;
const writersAtOnce = 64;

/** Makes a writer of one stream, which appends to it again and again. */
type NewWriter = () => () => Promise<void>;

export const benchEmmett = async (
  dataDir: string,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<EmmettBench> => {
  const importPeer = await installPeers(env);
  const emmett = (await importPeer("@event-driven-io/emmett-postgresql")) as EmmettModule;
  await using postgres = await startPostgres({
    dataDir: join(dataDir, "postgres"),
    endsWithParent: true,
  });
  const compare = async (durability: "fsync" | "relaxed", shards: number): Promise<Ratios> => {
    const commits = durability === "fsync" ? "on" : "off";
    const options = encodeURIComponent(`-c synchronous_commit=${commits}`);
    const theirs = emmett.getPostgreSQLEventStore(`${postgres.url}?options=${options}`);
    await using nats = await startNats({
      dataDir: join(dataDir, `${durability}-${shards}`),
      endsWithParent: true,
      binary: await findNatsServer({ env }),
      syncInterval: durabilities[durability].syncInterval,
    });
    const connection = await connectToNats({ url: nats.url, name: "bench" });
    try {
      const store = await openEventStore({ connection, durability, shards });
      await addRawStreams(store.jsm, shards);
      return await measure({
        ours: () => ourWriter(store),
        raw: () => rawWriter(store),
        emmett: () => emmettWriter(theirs),
      });
    } finally {
      await connection.close();
      await theirs.close();
    }
  };
  return {
    ...(await compare("fsync", shardsOfCluster)),
    relaxed: await compare("relaxed", shardsOfCluster),
    oneShard: await compare("fsync", 1),
  };
};

const ourWriter = (store: EventStore): (() => Promise<void>) => {
  const ref = newBenchRef();
  let expected: ExpectedVersion = "new";
  return async () => {
    expected = await append(store, ref, newBenchCommit(), { expected });
  };
};

const rawWriter = (store: EventStore): (() => Promise<void>) => {
  const { newMessage, publish } = rawPublisher(store, "checked");
  return () => publish(newMessage());
};

/** The part of the package that is measured. */
interface EmmettModule {
  getPostgreSQLEventStore(url: string): EmmettStore;
}

interface EmmettStore {
  appendToStream(
    stream: string,
    events: readonly unknown[],
    options: { readonly expectedStreamVersion: bigint },
  ): Promise<{ readonly nextExpectedStreamVersion: bigint }>;
  close(): Promise<void>;
}

/** The event's data and the commit's meta are what ours stores too. */
const emmettWriter = (store: EmmettStore): (() => Promise<void>) => {
  const { organization, aggregate, id } = newBenchRef();
  const stream = `${aggregate}-${organization}.${id}`;
  let expectedStreamVersion = 0n;
  return async () => {
    const { events, meta } = newBenchCommit();
    const messages = events.map(({ type, data }) => ({ type, data, metadata: meta }));
    const appended = await store.appendToStream(stream, messages, { expectedStreamVersion });
    expectedStreamVersion = appended.nextExpectedStreamVersion;
  };
};

const measure = async (writers: Readonly<Record<keyof Rates, NewWriter>>): Promise<Ratios> => {
  const sequential = await compareRates(1, writers);
  const concurrent = await compareRates(writersAtOnce, writers);
  return {
    sequentialRatio: sequential.ratio,
    concurrent64Ratio: concurrent.ratio,
    raw: { sequentialRatio: sequential.rawRatio, concurrent64Ratio: concurrent.rawRatio },
    perSecond: { sequential: sequential.perSecond, concurrent64: concurrent.perSecond },
  };
};

/** All take turns, so that they see the same machine. */
const compareRates = async (count: number, writers: Readonly<Record<keyof Rates, NewWriter>>) => {
  const rates: Rates[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const emmett = await rateOf(count, writers.emmett);
    const raw = await rateOf(count, writers.raw);
    const ours = await rateOf(count, writers.ours);
    // The first round warms all up.
    if (round > 0) rates.push({ ours, raw, emmett });
  }
  const median = (figure: (round: Rates) => number): number => percentile(rates.map(figure), 50);
  return {
    ratio: median(({ ours, emmett }) => ours / emmett),
    rawRatio: median(({ raw, emmett }) => raw / emmett),
    perSecond: {
      ours: Math.round(median(({ ours }) => ours)),
      raw: Math.round(median(({ raw }) => raw)),
      emmett: Math.round(median(({ emmett }) => emmett)),
    },
  };
};

/** Appends per second. */
const rateOf = async (writers: number, newWriter: NewWriter): Promise<number> => {
  const appends = writers === 1 ? appendsPerRound.sequential : appendsPerRound.concurrent;
  const each = Math.ceil(appends / writers);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: writers }, newWriter).map(async (write) => {
      for (let index = 0; index < each; index += 1) await write();
    }),
  );
  return (each * writers * 1_000) / (performance.now() - startedAt);
};
