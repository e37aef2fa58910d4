/**
 * Test support: a log on a server of its own that holds whatever messages it is given, as somebody with
 * access to the server's files could have left them.
 */
import { headers } from "@nats-io/transport-node";
import { StorageType } from "@nats-io/jetstream";
import { lastSequence } from "../../reading/commit-feed.ts";
import type { EventStore } from "../../event-store.ts";
import { streamOf } from "../../sharding.ts";
import { openTestEventStore } from "../../testing/test-event-store.ts";
import { readStored, type StoredMessage } from "../stored-messages.ts";

export interface Message {
  readonly subject: string;
  readonly data: Uint8Array;
  /** What its writer said that it follows; the server insists that it is so. */
  readonly follows?: number | null;
}

export interface TamperedLog extends AsyncDisposable {
  readonly store: EventStore;
  /** Replaces the first shard by these messages, and takes some out again by their sequences. */
  fill(messages: readonly Message[], holes?: readonly number[]): Promise<void>;
}

export const openTamperedLog = async ({ shards = 1 } = {}): Promise<TamperedLog> => {
  const { store, close } = await openTestEventStore({ shards });
  const { js, jsm } = store;
  return {
    store,
    fill: async (messages, holes = []) => {
      const name = streamOf(0);
      await jsm.streams.delete(name);
      // Without the refusal of deletions that the real streams have, and in memory: a stream on disk was
      // seen to find the messages of the one that had just been deleted under its name.
      await jsm.streams.add({ name, subjects: ["evt.0.>"], storage: StorageType.Memory });
      for (const { subject, data, follows } of messages) {
        const said = headers();
        if (follows != null) said.set("Nats-Expected-Last-Subject-Sequence", String(follows));
        await js.publish(subject, data, { headers: said });
      }
      for (const sequence of holes) await jsm.streams.deleteMessage(name, sequence);
    },
    [Symbol.asyncDispose]: close,
  };
};

/** Everything that the first shard of a log holds. */
export const messagesOf = async (store: EventStore): Promise<readonly StoredMessage[]> => {
  const messages: StoredMessage[] = [];
  const until = await lastSequence(store, 0);
  for await (const message of readStored(store, { shard: 0, until })) messages.push(message);
  return messages;
};
