/** What appends are compared with: messages that JetStream is sent without an event store. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { type AggregateRef, genesisHash } from "#contracts/commit";
import { shardOf } from "../sharding.ts";
import type { newBenchCommit } from "./commits.ts";

/** Makes a stream for each shard, beside those of the event store. */
export const addRawStreams = async (jsm: JetStreamManager, shards: number): Promise<void> => {
  for (let shard = 0; shard < shards; shard += 1) {
    await jsm.streams.add({ name: `RAW_${shard}`, subjects: [`raw.${shard}.>`] });
  }
};

/** A subject as long as the aggregate's own. */
export const rawSubject = (ref: AggregateRef, shards: number): string =>
  `raw.${shardOf(ref.organization, shards)}.${ref.organization}.${ref.aggregate}.${ref.id}`;

/** The bytes that an append would store for the commit, and the id that it would give to the message. */
export const rawMessage = (
  { aggregate, id }: AggregateRef,
  { meta, ...commit }: ReturnType<typeof newBenchCommit>,
): { readonly msgID: string; readonly bytes: Uint8Array } => ({
  msgID: `${meta.commandId}:${aggregate}:${id}`,
  bytes: Buffer.from(JSON.stringify({ ...commit, meta: { ...meta, prev: genesisHash } })),
});
