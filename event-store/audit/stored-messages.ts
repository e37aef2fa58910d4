/**
 * The stored messages of a shard as they are, readable or not and with holes or without: what audits
 * look at. Who works with commits reads `commit-feed.ts`, which refuses a log with holes.
 */
import { DomainError } from "#contracts/errors";
import type { EventStore } from "../event-store.ts";
import { streamOf } from "../sharding.ts";
import { filterOf, type LogScope } from "./scope.ts";

export interface StoredMessage {
  readonly shard: number;
  readonly subject: string;
  /** The sequence in the shard's stream. */
  readonly seq: number;
  readonly data: Uint8Array;
  /** When the server stored it, in nanoseconds since 1970. */
  readonly storedNanos: bigint;
  /** The sequence of the aggregate's commit before it, as its writer said; null if it said nothing. */
  readonly follows: number | null;
}

export interface ReadStoredOptions {
  readonly shard: number;
  readonly scope?: LogScope | undefined;
  /** Only what stands after this sequence. */
  readonly after?: number | undefined;
  /** Only what was stored at this instant or later; takes the place of `after`. */
  readonly since?: Date | undefined;
  /** The last sequence that is read; or, with a signal, whatever comes until it is aborted. */
  readonly until: number | AbortSignal;
}

const messagesInFlight = 1_000;

/** Reads a shard in order. Throws DomainError `log_unavailable` if the log breaks off on the way. */
export async function* readStored(
  { js, jsm }: EventStore,
  { shard, scope = {}, after = 0, since, until }: ReadStoredOptions,
): AsyncGenerator<StoredMessage> {
  const through = typeof until === "number" ? until : Infinity;
  const signal = typeof until === "number" ? undefined : until;
  if (through <= after) return;
  const filter = filterOf(scope, shard);
  // Where it ends is settled first, by the stream itself.
  const newest =
    signal === undefined
      ? await jsm.streams.getMessage(streamOf(shard), { last_by_subj: filter ?? `evt.${shard}.>` })
      : null;
  if (signal === undefined) {
    if (newest === null || newest.seq <= after) return;
    if (since !== undefined && newest.time < since) return;
  }
  const last = Math.min(through, newest?.seq ?? Infinity);
  const consumer = await js.consumers.get(streamOf(shard), {
    ...(since === undefined
      ? { opt_start_seq: after + 1 }
      : { opt_start_time: since.toISOString() }),
    ...(filter === null ? {} : { filter_subjects: [filter] }),
  });
  const messages = await consumer.consume({
    max_messages: messagesInFlight,
    idle_heartbeat: 2_000,
  });
  const stop = (): void => messages.stop();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    for await (const message of messages) {
      if (message.seq > through) return;
      const follows = message.headers?.get("Nats-Expected-Last-Subject-Sequence") ?? "";
      yield {
        shard,
        subject: message.subject,
        seq: message.seq,
        data: message.data,
        storedNanos: BigInt(message.timestampNanos),
        follows: follows === "" ? null : Number(follows),
      };
      if (message.seq >= last) return;
    }
    if (signal?.aborted !== true) {
      throw new DomainError("log_unavailable", "The log broke off while it was read.", {
        fields: { shard },
      });
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    // The server removes an ordered consumer that nobody reads from by itself.
    await messages.close();
  }
}
