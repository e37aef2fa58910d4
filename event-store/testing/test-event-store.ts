/** A real event store on a NATS server of the test's own. */
import type { NatsConnection } from "@nats-io/transport-node";
import { startTestNats } from "#infra/testing/test-nats";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";

export interface TestEventStore {
  readonly store: EventStore;
  readonly connection: NatsConnection;
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a NATS server and opens a store on it; `close` ends both and removes the files. */
export const openTestEventStore = async ({ shards = 1 } = {}): Promise<TestEventStore> => {
  const nats = await startTestNats();
  const connection = await connectToNats({ url: nats.url, name: "test" });
  const store = await openEventStore({ connection, shards, durability: "relaxed" });
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
