/** A real event store on a NATS server of the test's own. */
import type { NatsConnection } from "@nats-io/transport-node";
import { inject } from "vitest";
import { startTestNats } from "#infra/testing/test-nats";
import { startTestNatsCluster } from "#infra/testing/test-nats-cluster";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";

export interface TestEventStore {
  readonly store: EventStore;
  readonly connection: NatsConnection;
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a NATS server, or a cluster of three in the test project that asks for it, and opens a store
 * on it; `close` ends both and removes the files.
 */
export const openTestEventStore = async ({ shards = 1 } = {}): Promise<TestEventStore> => {
  const durability = inject("eventStoreDurability") ?? "relaxed";
  const nats = await (durability === "replicated" ? startTestNatsCluster() : startTestNats());
  const connection = await connectToNats({ url: nats.url, name: "test" });
  const store = await openEventStore({ connection, shards, durability });
  return {
    store,
    connection,
    url: nats.url,
    close: async () => {
      await connection.close();
      await nats.stop();
    },
  };
};
