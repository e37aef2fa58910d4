import { setTimeout as delay } from "node:timers/promises";
import type { StoredMsg } from "@nats-io/jetstream";
import type { AggregateRef } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { readFromLeader } from "../cluster/read-from-leader.ts";
import type { EventStore } from "../event-store.ts";
import { type MessageBatch, readMessages } from "./read-messages.ts";
import { readRecorded, type RecordedCommit } from "./recorded.ts";
import { openCommits } from "../sealing/open-commits.ts";
import { shardOf, streamOf, subjectOf } from "../sharding.ts";

/** How long a replica that answers may be behind the leader, in milliseconds. */
const replicaPatienceMs = 15_000;
const replicaPollMs = 5;

/**
 * The commits of one aggregate, oldest first, after the given sequence of the stream, up to the newest
 * that was acknowledged when the reading began.
 */
export async function* readAggregate(
  store: EventStore,
  ref: AggregateRef,
  options: { readonly after?: number } = {},
): AsyncGenerator<RecordedCommit> {
  for await (const messages of readBatches(store, ref, { from: (options.after ?? 0) + 1 })) {
    yield* await openCommits(store.dataKeys, messages.map(readRecorded));
  }
}

/**
 * The history of an aggregate from a sequence on, batch by batch, up to the newest commit that was
 * acknowledged when the reading began. `ahead` is a batch that was asked for on a guess; as far as it
 * holds what is wanted, it is not read again.
 */
export async function* readBatches(
  store: EventStore,
  ref: AggregateRef,
  { from, ahead }: { readonly from: number; readonly ahead?: MessageBatch },
): AsyncGenerator<readonly StoredMsg[]> {
  const newest = newestSequence(store, ref);
  // Whoever stops reading early does not want to know.
  newest.catch(() => undefined);
  const deadline = performance.now() + replicaPatienceMs;
  let next = from;
  let batch = ahead && reaches(ahead, next) ? ahead : await readBatch(store, ref, { from });
  for (;;) {
    const wanted = batch.messages.filter(({ seq }) => seq >= next);
    yield wanted;
    next = (wanted.at(-1)?.seq ?? next - 1) + 1;
    if (batch.isLast) {
      if (next > (await newest)) {
        return;
      }
      if (performance.now() >= deadline) {
        throw new DomainError("log_unavailable", "The log cannot be read; try again later.", {
          fields: { aggregate: ref.aggregate, id: ref.id, after: next - 1 },
        });
      }
      await delay(replicaPollMs);
    }
    batch = await readBatch(store, ref, { from: next });
  }
}

const reaches = ({ from, messages, isLast }: MessageBatch, sequence: number): boolean =>
  from <= sequence && (isLast || (messages.at(-1)?.seq ?? 0) >= sequence - 1);

/**
 * The sequence of the aggregate's newest commit; 0 for none, and for a log with one copy, where
 * nobody can be behind. Any replica answers a read, also one that lacks what was just acknowledged:
 * a command would be refused for what its own predecessor has done.
 */
const newestSequence = async (store: EventStore, ref: AggregateRef): Promise<number> => {
  if (store.replicas === 1) {
    return 0;
  }
  const stream = streamOf(shardOf(ref.organization, store.shards));
  const lookup = { last_by_subj: subjectOf(ref, store.shards) };
  return (await readFromLeader(store, stream, lookup))?.seq ?? 0;
};

/**
 * Reads the next messages of an aggregate.
 *
 * @throws DomainError `log_unavailable`
 */
export const readBatch = (
  store: EventStore,
  ref: AggregateRef,
  page: { readonly from: number; readonly limit?: number },
): Promise<MessageBatch> => {
  const stream = streamOf(shardOf(ref.organization, store.shards));
  return readMessages(store, { stream, subject: subjectOf(ref, store.shards) }, page);
};
