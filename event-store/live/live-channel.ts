/** The live channel: what a session's owner tells those who watch, kept for a quarter of an hour. */
import { setTimeout as delay } from "node:timers/promises";
import { type ConsumerMessages, DeliverPolicy } from "@nats-io/jetstream";
import { type LiveMessage, liveMessageSchema } from "#contracts/live/messages";
import type { EventStore } from "../event-store.ts";
import { liveOrigin } from "./live-origin.ts";
import { restoreLiveStream } from "./live-stream.ts";
import { epochHeaders, epochIn } from "./owner-epoch.ts";
import { classifyPublishFailure } from "../publish-outcome.ts";
import { liveStream } from "../topology/streams.ts";

export interface LiveKey {
  readonly organization: string;
  readonly session: string;
}

/** Who says something in a session. */
export interface LiveSpeaker extends LiveKey {
  /** Of an owner: the epoch of its lease. */
  readonly epoch?: number;
}

export interface LiveEntry {
  /** Grows within the session, but not by one; also when a server has forgotten what it kept. */
  readonly seq: number;
  /** The epoch of the owner that says it; null for what others say. */
  readonly ownerEpoch: number | null;
  readonly message: LiveMessage;
}

const subjectOf = ({ organization, session }: LiveKey): string => `live.${organization}.${session}`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** How often what has to be seen is told before it is given up, and the pause between, in milliseconds. */
const attempts = 10;
const pauseMs = 500;

/**
 * Publishes a message; messages of one caller arrive in the order of the calls. While the log is away,
 * what is only for the moment (tokens, tools at work) is given up at once, because it comes again as a
 * whole message; everything else is told again for a while, and may then be overtaken.
 *
 * @throws when it could not be published
 */
export const publishLive = async (
  store: EventStore,
  speaker: LiveSpeaker,
  message: LiveMessage,
): Promise<void> => {
  const options = { timeout: 5_000, ...epochHeaders(speaker.epoch) };
  const payload = encoder.encode(JSON.stringify(message));
  for (let attempt = 1; ; attempt += 1) {
    try {
      await store.js.publish(subjectOf(speaker), payload, options);
      return;
    } catch (error) {
      if (classifyPublishFailure(error) !== "retry_same") throw error;
      await restoreLiveStream(store);
      if (isPassing(message) || attempt === attempts) throw error;
      await delay(pauseMs);
    }
  }
};

/** Whether a message is only for the moment. */
export const isPassing = ({ type }: LiveMessage): boolean => type === "token" || type === "tool";

/** How often somebody who streams learns whether the log takes it, in milliseconds. */
const askEveryMs = 250;

/** When each store's log was asked last, by `performance.now()`. */
const askedAt = new WeakMap<EventStore, number>();

/**
 * As {@link publishLive}, of what is only for the moment: one now and then waits for the log's answer, so that a
 * stream that is gone is noticed and made anew; the others are on their way and nothing else, which costs a third.
 */
export const streamLive = async (
  store: EventStore,
  speaker: LiveSpeaker,
  message: LiveMessage,
): Promise<void> => {
  const now = performance.now();
  if (now - (askedAt.get(store) ?? -Infinity) < askEveryMs) {
    const payload = JSON.stringify(message);
    store.connection.publish(subjectOf(speaker), payload, epochHeaders(speaker.epoch));
  } else {
    askedAt.set(store, now);
    await publishLive(store, speaker, message);
  }
};

/** The first and last sequence that are kept of a session; 0 and 0 when there is none. */
export const liveState = async (
  store: EventStore,
  key: LiveKey,
): Promise<{ readonly firstSeq: number; readonly lastSeq: number }> => {
  const { direct } = store.jsm;
  const [origin, first, last] = await Promise.all([
    liveOrigin(store),
    direct.getMessage(liveStream, { seq: 1, next_by_subj: subjectOf(key) }),
    direct.getMessage(liveStream, { last_by_subj: subjectOf(key) }),
  ]);
  return first && last
    ? { firstSeq: origin + first.seq, lastSeq: origin + last.seq }
    : { firstSeq: 0, lastSeq: 0 };
};

/**
 * What is kept of a session after the given sequence, and then what comes, until aborted. Ends by itself when it
 * may have missed something: look at {@link liveState} then, and open it again.
 *
 * @throws when the sequence is from before the log's server forgot what it kept
 */
export async function* openLiveFeed(
  store: EventStore,
  options: LiveKey & { readonly after?: number; readonly signal: AbortSignal },
): AsyncGenerator<LiveEntry> {
  const origin = await liveOrigin(store);
  const after = options.after ? options.after - origin : 0;
  if (after < 0) throw new Error("The live channel has begun anew.");
  const consumer = await store.js.consumers.get(liveStream, {
    filter_subjects: subjectOf(options),
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
  });
  // An iterator that was never begun cannot be closed: nothing is consumed for an aborted reader.
  if (options.signal.aborted) {
    return;
  }
  const messages = await consumer.consume({ max_messages: 500, idle_heartbeat: 2_000 });
  const stop = (): void => messages.stop();
  options.signal.addEventListener("abort", stop, { once: true });
  if (options.signal.aborted) {
    stop();
  }
  void stopWhenReset(messages);
  try {
    for await (const received of messages) {
      const message = liveMessageSchema.safeParse(JSON.parse(decoder.decode(received.data)));
      // A message of a newer program that this one does not know is left out: live is only for now.
      if (message.success) {
        const { seq, headers } = received;
        yield { seq: origin + seq, ownerEpoch: epochIn(headers), message: message.data };
      }
    }
  } finally {
    options.signal.removeEventListener("abort", stop);
    await messages.close();
  }
}

/**
 * The client makes a consumer anew that its server does not know any more, and has it go on after the last number:
 * in a stream that counts from one again, that is after messages which nobody has read.
 */
const stopWhenReset = async (messages: ConsumerMessages): Promise<void> => {
  for await (const { type } of messages.status()) {
    if (type === "reset") messages.stop();
  }
};

/** Removes what is kept of a session. Whoever watches it has seen it. */
export const forgetLive = async ({ jsm }: EventStore, key: LiveKey): Promise<void> => {
  await jsm.streams.purge(liveStream, { filter: subjectOf(key) });
};
