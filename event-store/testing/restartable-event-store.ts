/** A real event store whose server the tests of a file may kill and start again. */
import type { NatsConnection } from "@nats-io/transport-node";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import { type RestartableNats, startRestartableNats } from "./restartable-nats.ts";

export interface RestartableEventStore {
  readonly nats: RestartableNats;
  readonly connection: NatsConnection;
  readonly store: EventStore;
  close(): Promise<void>;
}

export const openRestartableEventStore = async (): Promise<RestartableEventStore> => {
  const nats = await startRestartableNats();
  try {
    const connection = await connectToNats({ url: nats.url, name: "test" });
    const store = await openEventStore({ connection, durability: "relaxed" });
    return {
      nats,
      connection,
      store,
      close: async () => {
        await connection.close();
        await nats.close();
      },
    };
  } catch (error) {
    await nats.close();
    throw error;
  }
};
