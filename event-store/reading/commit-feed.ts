import { setTimeout as delay } from "node:timers/promises";
import { type ConsumerMessages, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { DomainError } from "#contracts/errors";
import type { EventStore } from "../event-store.ts";
import { classifyPublishFailure } from "../publish-outcome.ts";
import { readRecorded, type RecordedCommit, traceOf } from "./recorded.ts";
import { openCommits } from "../sealing/open-commits.ts";
import { streamOf } from "../sharding.ts";
import { traceparentHeader } from "../tracing/tracing.ts";

export interface CommitFeedOptions {
  readonly shard: number;
  /** The sequence after which to begin; 0 for the start of the log. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** The largest batch, in commits. */
  readonly maxBatch?: number;
}

/**
 * How long a feed may be silent before it is asked whether there is nothing to say, in milliseconds.
 * After a cluster was down as a whole, a consumer can come back that delivers nothing any more.
 */
const silenceMs = 5_000;

/** How long the log may be away, in milliseconds, before the feed fails; elections take less. */
const outageMs = 30_000;
const reopenDelayMs = 250;

/**
 * The commits of a shard in order, with their text, in batches of what has arrived, and then for ever what comes. No
 * sequence is left out: a gap means that the log is damaged.
 *
 * @throws DomainError `log_gap`, `event_invalid`; what the client throws when the log cannot be read
 */
export async function* openCommitFeed(
  store: EventStore,
  { shard, after, signal, maxBatch = 500 }: CommitFeedOptions,
): AsyncGenerator<readonly RecordedCommit[]> {
  const read = store.tracing === null ? readRecorded : readTraced;
  let last = after;
  let awaySince: number | undefined;
  while (!signal.aborted) {
    try {
      for await (const batch of readUntilSilent(store, { shard, after: last, signal, maxBatch })) {
        const recorded = await openCommits(store.dataKeys, batch.map(read));
        last = endOfContiguous(recorded, last);
        awaySince = undefined;
        yield recorded;
      }
    } catch (error) {
      awaySince ??= performance.now();
      const isOutage = classifyPublishFailure(error) === "retry_same";
      if (!isOutage || performance.now() - awaySince > outageMs) {
        throw error;
      }
      await delay(reopenDelayMs);
    }
  }
}

/** The client reads the headers of a message when they are first asked for, which takes its time. */
const readTraced = (message: JsMsg): RecordedCommit => ({
  ...readRecorded(message),
  ...traceOf(message.headers?.get(traceparentHeader)),
});

/** The last sequence of a batch that follows on another one. Throws `log_gap`. */
const endOfContiguous = (recorded: readonly RecordedCommit[], before: number): number => {
  let last = before;
  for (const { shard, sequence } of recorded) {
    if (sequence !== last + 1) {
      throw new DomainError("log_gap", `Commit ${last + 1} of shard ${shard} is missing.`, {
        fields: { shard, expected: last + 1, found: sequence },
      });
    }
    last = sequence;
  }
  return last;
};

/** Reads with one consumer, which it lets go when the log has more to say than the consumer does. */
async function* readUntilSilent(
  store: EventStore,
  { shard, after, signal, maxBatch }: Required<CommitFeedOptions>,
): AsyncGenerator<readonly JsMsg[]> {
  const consumer = await store.js.consumers.get(streamOf(shard), {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
  });
  // One batch here and one on its way: what is read further ahead only grows old in memory.
  const messages = await consumer.consume({ max_messages: maxBatch, idle_heartbeat: 2_000 });
  const buffer = new MessageBuffer(messages, maxBatch);
  const stop = (): void => messages.stop();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) {
    stop();
  }
  let last = after;
  try {
    for (;;) {
      const batch = await buffer.take(maxBatch, silenceMs);
      if (batch === "ended" || (batch === "silent" && (await hasMore(store, shard, last)))) {
        return;
      }
      if (batch !== "silent") {
        last = batch.at(-1)?.seq ?? last;
        yield batch;
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    buffer.discard();
    // The server removes an ordered consumer that nobody reads from by itself.
    await messages.close();
  }
}

/** Whether the log goes on after a sequence; false while it cannot be asked. */
const hasMore = async (store: EventStore, shard: number, sequence: number): Promise<boolean> => {
  try {
    return (await lastSequence(store, shard)) > sequence;
  } catch (error) {
    if (classifyPublishFailure(error) === "retry_same") {
      return false;
    }
    throw error;
  }
};

/** Gathers messages so that a slow reader gets large batches and a fast one gets each at once. */
class MessageBuffer {
  readonly #messages: JsMsg[] = [];
  readonly #highWater: number;
  #ended = false;
  #discarded = false;
  #failure: Error | undefined;
  #wakeReader: (() => void) | undefined;
  #wakePump: (() => void) | undefined;

  constructor(source: ConsumerMessages, highWater: number) {
    this.#highWater = highWater;
    void this.#pump(source);
  }

  /** Waits for something to be there, for a while at most. Rejects when the source has failed. */
  async take(limit: number, timeoutMs: number): Promise<readonly JsMsg[] | "silent" | "ended"> {
    if (this.#messages.length === 0 && !this.#ended) {
      await this.#wait(timeoutMs);
      // Messages come several at a time: one turn of the event loop lets the rest of them in.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#messages.length === 0) {
      if (this.#failure !== undefined) {
        throw this.#failure;
      }
      return this.#ended ? "ended" : "silent";
    }
    const taken = this.#messages.splice(0, limit);
    this.#wakePump?.();
    return taken;
  }

  async #wait(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wakeReader = resolve;
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }

  /** For a reader that leaves: what is there is dropped, and the source is let go. */
  discard(): void {
    this.#discarded = true;
    this.#messages.length = 0;
    this.#wakePump?.();
  }

  async #pump(source: ConsumerMessages): Promise<void> {
    try {
      for await (const message of source) {
        if (this.#discarded) {
          return;
        }
        this.#messages.push(message);
        this.#wakeReader?.();
        if (this.#messages.length >= this.#highWater) {
          await new Promise<void>((resolve) => {
            this.#wakePump = resolve;
          });
        }
      }
    } catch (error) {
      this.#failure =
        error instanceof Error ? error : new Error("The feed has broken.", { cause: error });
    } finally {
      this.#ended = true;
      this.#wakeReader?.();
    }
  }
}

/** The sequence of the newest commit of a shard; 0 when it is empty. */
export const lastSequence = async ({ jsm }: EventStore, shard: number): Promise<number> =>
  (await jsm.streams.info(streamOf(shard))).state.last_seq;
