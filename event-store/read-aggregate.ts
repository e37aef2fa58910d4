import { setTimeout as delay } from "node:timers/promises";
import type { StoredMsg } from "@nats-io/jetstream";
import { JetStreamStatusError } from "@nats-io/jetstream/internal";
import type { AggregateRef } from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { readFromLeader } from "./cluster/read-from-leader.ts";
import type { EventStore } from "./event-store.ts";
import { isTransient } from "./publish-outcome.ts";
import { readRecorded, type RecordedCommit } from "./recorded.ts";
import { shardOf, streamOf, subjectOf } from "./sharding.ts";

const batchSize = 256;
const attempts = 5;
/** The status of a direct get that finds nothing. */
const notFound = 404;

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
  const stream = streamOf(shardOf(ref.organization, store.shards));
  const subject = subjectOf(ref, store.shards);
  const newest = newestSequence(store, stream, subject);
  // Whoever stops reading early does not want to know.
  newest.catch(() => undefined);
  const deadline = performance.now() + replicaPatienceMs;
  for (let after = options.after ?? 0; ;) {
    const batch = await readBatch(store, { stream, subject, after });
    for (const message of batch) {
      yield readRecorded(message);
      after = message.seq;
    }
    if (batch.length === batchSize) {
      continue;
    }
    if (after >= (await newest)) {
      return;
    }
    if (performance.now() >= deadline) {
      throw new DomainError("log_unavailable", "The log cannot be read; try again later.", {
        fields: { stream, after },
      });
    }
    await delay(replicaPollMs);
  }
}

/**
 * The sequence of the aggregate's newest commit; 0 for none, and for a log with one copy, where
 * nobody can be behind. Any replica answers a read, also one that lacks what was just acknowledged:
 * a command would be refused for what its own predecessor has done.
 */
const newestSequence = async (
  store: EventStore,
  stream: string,
  subject: string,
): Promise<number> => {
  if (store.replicas === 1) {
    return 0;
  }
  return (await readFromLeader(store, stream, { last_by_subj: subject }))?.seq ?? 0;
};

const readBatch = async (
  { jsm }: EventStore,
  from: { readonly stream: string; readonly subject: string; readonly after: number },
): Promise<readonly StoredMsg[]> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const messages: StoredMsg[] = [];
      for await (const message of await jsm.direct.getBatch(from.stream, {
        next_by_subj: from.subject,
        seq: from.after + 1,
        batch: batchSize,
      })) {
        messages.push(message);
      }
      return messages;
    } catch (error) {
      if (error instanceof JetStreamStatusError && error.code === notFound) {
        return [];
      }
      if (!isTransient(error)) {
        throw error;
      }
      if (attempt === attempts) {
        throw new DomainError("log_unavailable", "The log cannot be read; try again later.", {
          fields: { stream: from.stream },
          cause: error,
        });
      }
      await delay(50 * 2 ** attempt);
    }
  }
};
