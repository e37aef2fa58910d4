/** Appends beside Emmett's on PostgreSQL: the same events, as many writers, the same durability. */
import { join } from "node:path";
import { installPeers } from "#infra/bench/install-peers";
import { startNats } from "#infra/nats/embedded-nats";
import { findNatsServer } from "#infra/nats/find-nats-server";
import { startPostgres } from "#infra/postgres/embedded-postgres";
import { append } from "../append/append.ts";
import { connectToNats } from "../connection.ts";
import { durabilities } from "../durability.ts";
import { openEventStore } from "../event-store.ts";
import type { ExpectedVersion } from "../append/expected-version.ts";
import { newBenchCommit, newBenchRef } from "./commits.ts";
import { percentile } from "./percentile.ts";

interface Ratios {
  /** How many times as many appends per second as Emmett's, with one writer. */
  readonly sequentialRatio: number;
  /** The same with 64 writers. */
  readonly concurrent64Ratio: number;
  readonly perSecond: {
    readonly sequential: { readonly ours: number; readonly emmett: number };
    readonly concurrent64: { readonly ours: number; readonly emmett: number };
  };
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
      const newOurs: NewWriter = () => {
        const ref = newBenchRef();
        let expected: ExpectedVersion = "new";
        return async () => {
          expected = await append(store, ref, newBenchCommit(), { expected });
        };
      };
      return await measure(newOurs, () => emmettWriter(theirs));
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

/** Both take turns, so that they see the same machine. */
const measure = async (ours: NewWriter, theirs: NewWriter): Promise<Ratios> => {
  const sequential = await compareRates(1, ours, theirs);
  const concurrent = await compareRates(writersAtOnce, ours, theirs);
  return {
    sequentialRatio: sequential.ratio,
    concurrent64Ratio: concurrent.ratio,
    perSecond: { sequential: sequential.perSecond, concurrent64: concurrent.perSecond },
  };
};

const compareRates = async (writers: number, newOurs: NewWriter, newTheirs: NewWriter) => {
  const ratios: number[] = [];
  const rates = { ours: [] as number[], emmett: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const emmett = await rateOf(writers, newTheirs);
    const ours = await rateOf(writers, newOurs);
    // The first round warms both up.
    if (round === 0) continue;
    ratios.push(ours / emmett);
    rates.ours.push(ours);
    rates.emmett.push(emmett);
  }
  return {
    ratio: percentile(ratios, 50),
    perSecond: {
      ours: Math.round(percentile(rates.ours, 50)),
      emmett: Math.round(percentile(rates.emmett, 50)),
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
