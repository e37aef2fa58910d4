import { setTimeout as delay } from "node:timers/promises";
import type { StoredMsg } from "@nats-io/jetstream";
import { JetStreamStatusError } from "@nats-io/jetstream/internal";
import { errors as natsErrors } from "@nats-io/transport-node";
import type { AggregateRef } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { readFromLeader } from "../cluster/read-from-leader.ts";
import type { EventStore } from "../event-store.ts";
import { isTransient } from "../publish-outcome.ts";
import { readRecorded, type RecordedCommit } from "./recorded.ts";
import { openCommits } from "../sealing/open-commits.ts";
import { shardOf, streamOf, subjectOf } from "../sharding.ts";

const batchSize = 256;
/** Less than what the server lets a slow reader fall behind by before it cuts it off. */
const batchBytes = 8 * 1024 * 1024;
const attempts = 5;
/** How long the server may be silent in the midst of a batch, in milliseconds. */
const silenceMs = 5_000;
/** The status of a direct get that finds nothing. */
const notFound = 404;
/** The status of a direct get that nobody is there to answer. */
const nobodyThere = 503;

/** A piece of an aggregate's history, oldest first. */
export interface AggregateBatch {
  /** Its messages have this sequence or later ones. */
  readonly from: number;
  readonly messages: readonly StoredMsg[];
  /** Whether nothing comes after it. */
  readonly isLast: boolean;
}

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
  { from, ahead }: { readonly from: number; readonly ahead?: AggregateBatch },
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

const reaches = ({ from, messages, isLast }: AggregateBatch, sequence: number): boolean =>
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
 * Reads the next messages of an aggregate, and tries again when the server does not answer.
 *
 * @throws DomainError `log_unavailable`
 */
export const readBatch = async (
  store: EventStore,
  ref: AggregateRef,
  { from, limit = batchSize }: { readonly from: number; readonly limit?: number },
): Promise<AggregateBatch> => {
  const stream = streamOf(shardOf(ref.organization, store.shards));
  const query = {
    next_by_subj: subjectOf(ref, store.shards),
    seq: from,
    batch: limit,
    max_bytes: batchBytes,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const messages = await request(store, stream, query);
      return { from, messages, isLast: (messages.at(-1)?.pending ?? 0) === 0 };
    } catch (error) {
      if (!isTransient(error) && !hasStatus(error, nobodyThere)) {
        throw error;
      }
      if (attempt === attempts) {
        throw new DomainError("log_unavailable", "The log cannot be read; try again later.", {
          fields: { stream },
          cause: error,
        });
      }
      await delay(50 * 2 ** attempt);
    }
  }
};

/**
 * One question to the server. With a callback, the client gives its subscription back at the end
 * (it keeps that of an iterator), and a connection that breaks in the midst of the answer ends it.
 */
const request = (
  { jsm }: EventStore,
  stream: string,
  query: {
    readonly next_by_subj: string;
    readonly seq: number;
    readonly batch: number;
    readonly max_bytes: number;
  },
): Promise<readonly StoredMsg[]> =>
  new Promise((resolve, reject) => {
    const messages: StoredMsg[] = [];
    const answer = jsm.direct.getBatch(stream, {
      ...query,
      callback: (done, message) => {
        if (!done) {
          messages.push(message);
          silence.refresh();
          return;
        }
        clearTimeout(silence);
        if (done.err && !hasStatus(done.err, notFound)) {
          reject(done.err);
        } else {
          resolve(messages);
        }
      },
    });
    const silence = setTimeout(() => {
      answer.then((open) => open.stop(new natsErrors.TimeoutError()), reject);
    }, silenceMs);
    answer.catch((error: Error) => {
      clearTimeout(silence);
      reject(error);
    });
  });

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof JetStreamStatusError && error.code === status;
