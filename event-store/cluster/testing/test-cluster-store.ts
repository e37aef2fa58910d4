/** A real event store with three replicas on a cluster of the test's own. */
import { startTestNatsCluster } from "#infra/testing/test-nats-cluster";
import type { NatsCluster } from "#infra/nats-cluster/nats-cluster";
import { connectToNats } from "../../connection.ts";
import { type EventStore, openEventStore } from "../../event-store.ts";

export interface TestClusterStore {
  readonly store: EventStore;
  readonly cluster: NatsCluster;
  close(): Promise<void>;
}

/** Starts three servers and opens a store of durability `replicated`; `close` ends all of it. */
export const openTestClusterStore = async ({ shards = 1 } = {}): Promise<TestClusterStore> => {
  const cluster = await startTestNatsCluster();
  try {
    const connection = await connectToNats({ url: cluster.url, name: "test" });
    const store = await openEventStore({ connection, shards, durability: "replicated" });
    return {
      store,
      cluster,
      close: async () => {
        await connection.close();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
};
