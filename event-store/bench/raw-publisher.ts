/** What appends are compared with: messages that JetStream is sent without an event store. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { genesisHash } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import { shardOf } from "../sharding.ts";
import { newBenchCommit, newBenchRef } from "./commits.ts";

interface RawMessage {
  readonly msgID: string;
  readonly bytes: Uint8Array;
}

/** Publishes what the appends to one aggregate would. */
export interface RawPublisher {
  /** The bytes that an append would store for a new commit, and the id that it would give to the message. */
  newMessage(): RawMessage;
  publish(message: RawMessage): Promise<void>;
}

/** Makes a stream for each shard, beside those of the event store. */
export const addRawStreams = async (jsm: JetStreamManager, shards: number): Promise<void> => {
  for (let shard = 0; shard < shards; shard += 1) {
    await jsm.streams.add({ name: `RAW_${shard}`, subjects: [`raw.${shard}.>`] });
  }
};

/** On a subject as long as an aggregate's; `checked` by the sequence of the message before, as appends are. */
export const rawPublisher = (
  { js, shards }: EventStore,
  kind: "checked" | "unchecked",
): RawPublisher => {
  const { organization, aggregate, id } = newBenchRef();
  const subject = `raw.${shardOf(organization, shards)}.${organization}.${aggregate}.${id}`;
  let last = 0;
  return {
    newMessage: () => {
      const { meta, ...commit } = newBenchCommit();
      const stored = { ...commit, meta: { ...meta, prev: genesisHash } };
      return {
        msgID: `${meta.commandId}:${aggregate}:${id}`,
        bytes: Buffer.from(JSON.stringify(stored)),
      };
    },
    publish: async ({ msgID, bytes }) => {
      const { seq } = await js.publish(subject, bytes, {
        msgID,
        ...(kind === "checked" ? { expect: { lastSubjectSequence: last } } : {}),
      });
      last = seq;
    },
  };
};
