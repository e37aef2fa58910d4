import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { PubAck } from "@nats-io/jetstream";
import {
  type AggregateRef,
  type Commit,
  maxCommitBytes,
  maxSealedCommitBytes,
} from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { type Lookup, readFromLeader } from "./cluster/read-from-leader.ts";
import type { EventStore } from "./event-store.ts";
import { classifyPublishFailure } from "./publish-outcome.ts";
import { hashOf } from "./recorded.ts";
import { shardOf, streamOf, subjectIn } from "./sharding.ts";

/** How long an append keeps trying while the log does not answer, in milliseconds. */
const appendPatienceMs = 15_000;
const publishTimeoutMs = 2_000;

export interface Appended {
  readonly shard: number;
  readonly sequence: number;
  /** SHA-256 of the stored bytes. */
  readonly hash: string;
  /**
   * Whether the log held this command already, from another attempt whose bytes may differ in their
   * time: what was decided here counts for nothing then, and the aggregate must be read again.
   */
  readonly recordedBefore: boolean;
}

/** Somebody else appended to the aggregate since it was loaded. */
export class ConcurrencyConflict extends DomainError {
  override readonly name = "ConcurrencyConflict";

  constructor(ref: AggregateRef) {
    super("concurrency_conflict", `The ${ref.aggregate} was changed by somebody else.`, {
      fields: { aggregate: ref.aggregate, id: ref.id },
    });
  }
}

/**
 * Appends a commit, as it is to be stored, to its aggregate if the aggregate's last commit has the expected sequence in the
 * stream (0 for none). A commit whose command and aggregate are in the log already is not stored twice.
 *
 * @throws ConcurrencyConflict; DomainError `commit_too_large`, `log_unavailable`
 */
export const append = async (
  store: EventStore,
  ref: AggregateRef,
  expectedSequence: number,
  commit: Commit,
): Promise<Appended> => {
  const bytes = Buffer.from(JSON.stringify(commit));
  const limit = commit.events.some(({ sealed }) => sealed) ? maxSealedCommitBytes : maxCommitBytes;
  if (bytes.byteLength > limit) {
    throw new DomainError("commit_too_large", "The content of this command is too large.", {
      fields: { bytes: bytes.byteLength, limit },
    });
  }
  const shard = shardOf(ref.organization, store.shards);
  const subject = subjectIn(shard, ref);
  const messageId = `${commit.meta.commandId}:${ref.aggregate}:${ref.id}`;
  const messageHeaders = headers();
  messageHeaders.set("Nats-Msg-Id", messageId);
  messageHeaders.set("Nats-Expected-Last-Subject-Sequence", String(expectedSequence));

  const stored = await untilAnswered(ref, () => publish(store, { subject, bytes, messageHeaders }));
  const hash = hashOf(bytes);
  if (typeof stored === "number") {
    return { shard, sequence: stored, hash, recordedBefore: false };
  }
  const message = await readFromLeader(store, streamOf(shard), stored);
  if (message?.subject === subject && message.header.get("Nats-Msg-Id") === messageId) {
    const storedHash = hashOf(message.data);
    return { shard, sequence: message.seq, hash: storedHash, recordedBefore: storedHash !== hash };
  }
  throw new ConcurrencyConflict(ref);
};

interface Publication {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly messageHeaders: MsgHdrs;
}

/** Publishes once: the new sequence, or where to look for what is there already. */
const publish = async (
  { js }: EventStore,
  { subject, bytes, messageHeaders }: Publication,
): Promise<number | Lookup> => {
  try {
    const ack: PubAck = await js.publish(subject, bytes, {
      headers: messageHeaders,
      timeout: publishTimeoutMs,
    });
    return ack.duplicate ? { seq: ack.seq } : ack.seq;
  } catch (error) {
    if (classifyPublishFailure(error) === "wrong_last_sequence") {
      return { last_by_subj: subject };
    }
    throw error;
  }
};

/** Asks the same again while it is not known what became of it. */
const untilAnswered = async <T>(ref: AggregateRef, ask: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + appendPatienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (classifyPublishFailure(error) === "refused") {
        throw error;
      }
      if (performance.now() >= deadline) {
        throw new DomainError("log_unavailable", "The log does not answer; try again later.", {
          fields: { aggregate: ref.aggregate, id: ref.id },
          cause: error,
        });
      }
      await delay(Math.min(2 ** attempt, 500) + randomInt(10));
    }
  }
};
