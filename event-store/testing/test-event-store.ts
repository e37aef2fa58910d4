/** A real event store that nobody else uses. */
import type { NatsConnection } from "@nats-io/transport-node";
import { startTestNats, type TestNats } from "#infra/testing/test-nats";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";

export interface TestEventStore {
  readonly store: EventStore;
  readonly connection: NatsConnection;
  readonly url: string;
  /** What every other store on the same log is opened with. */
  readonly durability: TestNats["durability"];
  close(): Promise<void>;
}

/** Opens a store on a JetStream of the test's own; `close` ends both and removes the data. */
export const openTestEventStore = async ({ shards = 1 } = {}): Promise<TestEventStore> => {
  const nats = await startTestNats();
  const { url, durability } = nats;
  const connection = await connectToNats({ url, name: "test" });
  const store = await openEventStore({ connection, shards, durability });
  return {
    store,
    connection,
    url,
    durability,
    close: async () => {
      await connection.close();
      await nats.stop();
    },
  };
};
