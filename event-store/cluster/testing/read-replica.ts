/** Reads an event stream from the disk of one chosen node, whoever leads. */
import { AckPolicy, DeliverPolicy, JetStreamError } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { EventStore } from "../../event-store.ts";
import { readRecorded, type RecordedCommit } from "../../reading/recorded.ts";
import { streamOf } from "../../sharding.ts";
import { whenAvailable } from "../await-leaders.ts";

const maxPlacements = 200;
const inactiveMs = 30_000;
const batchSize = 500;
const pullExpiresMs = 2_000;
/** So many pulls in a row may bring nothing before the replica counts as short. */
const maxEmptyPulls = 5;

/** The commits of a shard as this node holds them, from the first up to the given sequence. */
export async function* readReplica(
  store: EventStore,
  { shard, node, end }: { readonly shard: number; readonly node: string; readonly end: number },
): AsyncGenerator<RecordedCommit> {
  const stream = streamOf(shard);
  const name = await placeConsumer(store, stream, node);
  const consumer = await store.js.consumers.get(stream, name);
  let last = 0;
  for (let empty = 0; last < end && empty < maxEmptyPulls;) {
    const before = last;
    try {
      for await (const message of await consumer.fetch({
        max_messages: batchSize,
        expires: pullExpiresMs,
      })) {
        yield readRecorded(message);
        last = message.seq;
        if (last >= end) break;
      }
    } catch (error) {
      // A node that is slow to answer has sent no heartbeat in time: the next pull goes on from here.
      if (!(error instanceof JetStreamError)) throw error;
    }
    empty = last === before ? empty + 1 : 0;
  }
  await store.jsm.consumers.delete(stream, name);
}

/** The server places a consumer with one copy on any node of the stream, and it reads from that node. */
const placeConsumer = async (
  { jsm }: EventStore,
  stream: string,
  node: string,
): Promise<string> => {
  for (let attempt = 1; attempt <= maxPlacements; attempt += 1) {
    const consumer = await whenAvailable(() =>
      jsm.consumers.add(stream, {
        ack_policy: AckPolicy.None,
        deliver_policy: DeliverPolicy.All,
        mem_storage: true,
        num_replicas: 1,
        inactive_threshold: nanos(inactiveMs),
      }),
    );
    if (consumer.cluster?.leader === node) return consumer.name;
    await jsm.consumers.delete(stream, consumer.name);
  }
  throw new Error(`No consumer of ${stream} came to stand on ${node}.`);
};
