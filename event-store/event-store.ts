import {
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  StorageType,
} from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { awaitLeaders, whenAvailable } from "./cluster/await-leaders.ts";
import { type Durability, durabilities } from "./durability.ts";
import { type GroupCommit, openGroupCommit } from "./append/group-commit.ts";
import type { StoreObserver } from "./observer.ts";
import type { DataKeys } from "./sealing/data-keys.ts";
import { applyTopology } from "./topology/plan.ts";
import { streamDefinitions } from "./topology/streams.ts";
import type { Tracing } from "./tracing/tracing.ts";

/** An open log: what every function of this folder works on. */
export interface EventStore {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** How many streams the organisations are spread over; fixed for the life of a log. */
  readonly shards: number;
  readonly replicas: number;
  /** Snapshots of aggregates: a cache that may be emptied at any time. */
  readonly snapshots: KV;
  /** Lets commits that come at once share a sync; null where they do so anyway, or nothing is synced. */
  readonly groups: GroupCommit | null;
  /** Of the text in the log; null for a log whose text is not sealed. */
  readonly dataKeys: DataKeys | null;
  /** Null where nobody wants to see traces; what others have begun then goes through unseen. */
  readonly tracing: Tracing | null;
  /** Null where nobody counts. */
  readonly observer: StoreObserver | null;
}

export interface OpenEventStoreOptions {
  readonly connection: NatsConnection;
  readonly shards?: number;
  readonly durability?: Durability;
  readonly dataKeys?: DataKeys | null;
  readonly tracing?: Tracing | null;
  readonly observer?: StoreObserver | null;
}

/** Opens the log, creating or updating its streams where they differ from their definition. */
export const openEventStore = async ({
  connection,
  shards = 1,
  durability = "fsync",
  dataKeys = null,
  tracing = null,
  observer = null,
}: OpenEventStoreOptions): Promise<EventStore> => {
  const js = jetstream(connection);
  const { replicas, groupsCommits } = durabilities[durability];
  const groups = groupsCommits ? openGroupCommit(js) : null;
  const definitions = streamDefinitions({ shards, replicas });
  const open = async (): Promise<EventStore> => {
    const jsm = await jetstreamManager(connection);
    await applyTopology(jsm, definitions);
    const snapshots = await new Kvm(js).create("snapshots", {
      replicas,
      storage: StorageType.File,
      history: 1,
    });
    const watched = { tracing, observer };
    return { connection, js, jsm, shards, replicas, snapshots, groups, dataKeys, ...watched };
  };
  if (replicas === 1) {
    return open();
  }
  const store = await whenAvailable(open);
  await awaitLeaders(store.jsm, [...definitions.map(({ name }) => name), "KV_snapshots"]);
  return store;
};
