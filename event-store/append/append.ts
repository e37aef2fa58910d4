import { headers } from "@nats-io/transport-node";
import {
  type AggregateRef,
  type Commit,
  maxCommitBytes,
  maxSealedCommitBytes,
  type StoredEvent,
} from "#contracts/commit";
import { DomainError } from "#contracts/errors";
import { readFromLeader } from "../cluster/read-from-leader.ts";
import type { CommandMeta } from "../command-meta.ts";
import type { EventStore } from "../event-store.ts";
import { type AggregateVersion, type ExpectedVersion, noCommits } from "./expected-version.ts";
import { appendPatienceMs, publishCommit } from "./publish-commit.ts";
import { hashOf } from "../reading/recorded.ts";
import { shardOf, streamOf, subjectIn, subjectOf } from "../sharding.ts";
import { type Traceparent, traceparentHeader } from "../tracing/tracing.ts";
import { inAppendSpan } from "./append-span.ts";
import { observeAppend } from "./observe-append.ts";

/** A commit that is not in the log yet: `append` links it to the one before. */
export type NewCommit = Omit<Commit, "events" | "meta"> & {
  readonly events: readonly StoredEvent[];
  readonly meta: CommandMeta;
};

/** The version of the aggregate after an append, and where that is. */
export interface Appended extends AggregateVersion {
  readonly shard: number;
  /**
   * Whether the log held this command already, from another attempt whose bytes may differ in their
   * time: what was decided here counts for nothing then, and the aggregate must be read again.
   */
  readonly recordedBefore: boolean;
  /** The size of the commit. */
  readonly bytes: number;
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
 * Appends a commit, as it is to be stored, to its aggregate, if the aggregate is as expected. With `any` the commit follows
 * whatever is the last one; others who append at the same time delay it, and only for so long.
 *
 * A commit whose command and aggregate are in the log already is not stored twice: with a version, as
 * long as nobody else has appended since; with `any`, within the two minutes for which the server
 * remembers ids. `execute` recognises its commands for longer.
 *
 * @throws ConcurrencyConflict; DomainError `commit_too_large`, `log_unavailable`
 */
export const append = (
  store: EventStore,
  ref: AggregateRef,
  commit: NewCommit,
  { expected }: { readonly expected: ExpectedVersion },
): Promise<Appended> => {
  switch (expected) {
    case "any":
      return appendAfterLast(store, ref, commit);
    case "new":
      return appendAfter(store, ref, commit, noCommits);
    default:
      return appendAfter(store, ref, commit, expected);
  }
};

const appendAfter = (
  store: EventStore,
  ref: AggregateRef,
  commit: NewCommit,
  previous: AggregateVersion,
): Promise<Appended> =>
  observeAppend(store.observer, { ref, events: commit.events }, () =>
    inAppendSpan(store, { ref, meta: commit.meta }, (trace) =>
      publishAfter(store, ref, { commit, previous, trace }),
    ),
  );

const publishAfter = async (
  store: EventStore,
  ref: AggregateRef,
  {
    commit,
    previous,
    trace,
  }: {
    readonly commit: NewCommit;
    readonly previous: AggregateVersion;
    readonly trace: Traceparent | undefined;
  },
): Promise<Appended> => {
  const bytes = encode(commit, previous.hash);
  const shard = shardOf(ref.organization, store.shards);
  const subject = subjectIn(shard, ref);
  const messageId = `${commit.meta.commandId}:${ref.aggregate}:${ref.id}`;
  const messageHeaders = headers();
  messageHeaders.set("Nats-Msg-Id", messageId);
  messageHeaders.set("Nats-Expected-Last-Subject-Sequence", String(previous.sequence));
  if (trace !== undefined) messageHeaders.set(traceparentHeader, trace);

  const publication = { ref, subject, bytes, headers: messageHeaders };
  const stored = await (store.groups?.publish(publication) ?? publishCommit(store.js, publication));
  const hash = hashOf(bytes);
  if (typeof stored === "number") {
    return { shard, sequence: stored, hash, recordedBefore: false, bytes: bytes.byteLength };
  }
  const message = await readFromLeader(store, streamOf(shard), stored);
  if (message?.subject === subject && message.header.get("Nats-Msg-Id") === messageId) {
    const storedHash = hashOf(message.data);
    const recordedBefore = storedHash !== hash;
    return {
      ...{ shard, sequence: message.seq, hash: storedHash },
      recordedBefore,
      bytes: message.data.byteLength,
    };
  }
  throw new ConcurrencyConflict(ref);
};

/** The commit names its predecessor's hash, so that it is made anew for each predecessor. */
const appendAfterLast = async (
  store: EventStore,
  ref: AggregateRef,
  commit: NewCommit,
): Promise<Appended> => {
  const deadline = performance.now() + appendPatienceMs;
  for (;;) {
    try {
      return await appendAfter(store, ref, commit, await readVersion(store, ref));
    } catch (error) {
      if (!(error instanceof ConcurrencyConflict) || performance.now() >= deadline) {
        throw error;
      }
    }
  }
};

/** The aggregate's version as the leader knows it. Throws DomainError `log_unavailable`. */
export const readVersion = async (
  store: EventStore,
  ref: AggregateRef,
): Promise<AggregateVersion> => {
  const stream = streamOf(shardOf(ref.organization, store.shards));
  const last = await readFromLeader(store, stream, {
    last_by_subj: subjectOf(ref, store.shards),
  });
  return last === null ? noCommits : { sequence: last.seq, hash: hashOf(last.data) };
};

const encode = ({ v, events, meta }: NewCommit, prev: string): Buffer => {
  const { commandId, causationId, correlationId, actor, at } = meta;
  // Each field by name: a spread takes half as long again as all of the JSON.
  const commit: Commit = {
    v,
    events: events as StoredEvent[],
    meta: { commandId, causationId, correlationId, actor, at, prev },
  };
  const bytes = Buffer.from(JSON.stringify(commit));
  const limit = events.some(({ sealed }) => sealed) ? maxSealedCommitBytes : maxCommitBytes;
  if (bytes.byteLength > limit) {
    throw new DomainError("commit_too_large", "The content of this command is too large.", {
      fields: { bytes: bytes.byteLength, limit },
    });
  }
  return bytes;
};
