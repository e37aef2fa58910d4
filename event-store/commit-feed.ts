import { type ConsumerMessages, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { DomainError } from "#contracts/errors";
import type { EventStore } from "./event-store.ts";
import { readRecorded, type RecordedCommit } from "./recorded.ts";
import { streamOf } from "./sharding.ts";

export interface CommitFeedOptions {
  readonly shard: number;
  /** The sequence after which to begin; 0 for the start of the log. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** The largest batch, in commits. */
  readonly maxBatch?: number;
}

/**
 * The commits of a shard in order, in batches of what has arrived, and then for ever what comes. No
 * sequence is left out: a gap means that the log is damaged.
 *
 * @throws DomainError `log_gap`, `event_invalid`
 */
export async function* openCommitFeed(
  { js }: EventStore,
  { shard, after, signal, maxBatch = 500 }: CommitFeedOptions,
): AsyncGenerator<readonly RecordedCommit[]> {
  const consumer = await js.consumers.get(streamOf(shard), {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
  });
  const messages = await consumer.consume({ max_messages: 2 * maxBatch, idle_heartbeat: 2_000 });
  const buffer = new MessageBuffer(messages, 2 * maxBatch);
  const stop = (): void => messages.stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    let last = after;
    while (!signal.aborted) {
      const batch = await buffer.take(maxBatch);
      if (batch.length === 0) {
        return;
      }
      const recorded = batch.map(readRecorded);
      for (const { sequence } of recorded) {
        if (sequence !== last + 1) {
          throw new DomainError("log_gap", `Commit ${last + 1} of shard ${shard} is missing.`, {
            fields: { shard, expected: last + 1, found: sequence },
          });
        }
        last = sequence;
      }
      yield recorded;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    buffer.discard();
    // The server removes an ordered consumer that nobody reads from by itself.
    await messages.close();
  }
}

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

  /** Waits for something to be there; an empty answer is the end. */
  async take(limit: number): Promise<readonly JsMsg[]> {
    while (this.#messages.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
      // Messages come several at a time: one turn of the event loop lets the rest of them in.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#messages.length === 0 && this.#failure !== undefined) {
      throw this.#failure;
    }
    const taken = this.#messages.splice(0, limit);
    this.#wakePump?.();
    return taken;
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
