/** Loads of whole aggregates, beside plain reads of the same bytes in the same run. */
import { performance } from "node:perf_hooks";
import { newId } from "#contracts/ids";
import type { SessionEvent } from "#contracts/session/events";
import { startNats } from "#infra/nats/embedded-nats";
import { findNatsServer } from "#infra/nats/find-nats-server";
import { newCommandMeta } from "../command-meta.ts";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import { execute } from "../aggregates/execute.ts";
import { type AggregateDefinition, type AggregateKey, loadAggregate } from "../aggregates/load.ts";
import { streamOf, subjectOf } from "../sharding.ts";
import { percentile } from "./percentile.ts";

export interface LoadBench {
  /** An aggregate of 20 commits, folded from the first. */
  readonly fold20P50Ms: number;
  readonly fold20P99Ms: number;
  /** An aggregate of 5,000 commits, from its snapshot and the commits after it. */
  readonly snapshot5000P50Ms: number;
  readonly snapshot5000P99Ms: number;
  /** The commits that had to be folded after the snapshot; on average it is half of the most. */
  readonly foldedAfterSnapshot: number;
  /** The server's part: the same 20 messages, asked for and thrown away. */
  readonly read20P50Ms: number;
}

const loads = 3_000;

interface Prompts {
  readonly asked: number;
  readonly newest: readonly { readonly promptId: string; readonly text: string }[];
}

interface AskOne {
  readonly promptId: string;
}

/** As large a state as a busy session has: its hundred newest prompts. */
const prompts: AggregateDefinition<AskOne, SessionEvent, Prompts> = {
  aggregate: "session",
  snapshotVersion: 1,
  decider: {
    initialState: () => ({ asked: 0, newest: [] }),
    decide: () => [
      {
        type: "PromptQueued",
        data: { promptId: newId("prompt"), text: "x".repeat(120), by: "usr_bench" },
      },
    ],
    evolve: ({ asked, newest }, event) => ({
      asked: asked + 1,
      newest: event.type === "PromptQueued" ? [...newest.slice(-99), event.data] : newest,
    }),
  },
};

/** Measures loads, one at a time, from a server that has the streams in its page cache. */
export const benchLoad = async (dataDir: string): Promise<LoadBench> => {
  const nats = await startNats({
    dataDir,
    endsWithParent: true,
    binary: await findNatsServer({ env: process.env }),
    syncInterval: "2m",
  });
  try {
    const connection = await connectToNats({ url: nats.url, name: "bench" });
    const store = await openEventStore({ connection, durability: "relaxed" });
    const small = await fill(store, 20);
    const large = await fill(store, 5_000);
    // In turn, so that all three see the same machine.
    const read20: number[] = [];
    const fold20: number[] = [];
    const snapshot5000: number[] = [];
    for (let count = 0; count < loads; count += 1) {
      read20.push(await timed(() => readOnly(store, small)));
      fold20.push(await timed(() => loadAggregate(store, prompts, small)));
      snapshot5000.push(await timed(() => loadAggregate(store, prompts, large)));
    }
    const { folded } = await loadAggregate(store, prompts, large);
    await connection.close();
    // The first tenth warms everything up.
    const [read, fold, snapshot] = [read20, fold20, snapshot5000].map((all) =>
      all.slice(loads / 10),
    );
    return {
      fold20P50Ms: percentile(fold ?? [], 50),
      fold20P99Ms: percentile(fold ?? [], 99),
      snapshot5000P50Ms: percentile(snapshot ?? [], 50),
      snapshot5000P99Ms: percentile(snapshot ?? [], 99),
      foldedAfterSnapshot: folded,
      read20P50Ms: percentile(read ?? [], 50),
    };
  } finally {
    await nats.stop();
  }
};

const fill = async (store: EventStore, commits: number): Promise<AggregateKey> => {
  const key = { organization: newId("organization"), id: newId("session") };
  for (let count = 0; count < commits; count += 1) {
    const meta = newCommandMeta({ actor: { kind: "service", id: "bench", via: "bench" } });
    await execute(store, prompts, key, { promptId: newId("prompt") }, meta);
  }
  return key;
};

const readOnly = async ({ jsm, shards }: EventStore, key: AggregateKey): Promise<void> => {
  const messages = await jsm.direct.getBatch(streamOf(0), {
    next_by_subj: subjectOf({ ...key, aggregate: "session" }, shards),
    seq: 1,
    batch: 256,
  });
  for await (const message of messages) {
    void message;
  }
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};
