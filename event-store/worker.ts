/**
 * The loop under every worker: a durable pull consumer whose messages are handled at least once,
 * several at a time, with no promise of order. A message that fails is tried again later; after its
 * last attempt it becomes a dead letter.
 */
import { AckPolicy, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import pLimit from "p-limit";
import { keepDeadLetter } from "./dead-letters.ts";
import type { EventStore } from "./event-store.ts";
import type { Log } from "./log.ts";

/** What a handler may answer: nothing when it is done, or when it wants to be asked again. */
export type Handled = void | { readonly retryInMs: number };

export interface WorkerOptions {
  readonly stream: string;
  /** The durable consumer's name; workers of the same name share the messages. */
  readonly name: string;
  readonly subjects: readonly string[];
  readonly handle: (message: JsMsg, attempt: number) => Promise<Handled>;
  readonly log: Log;
  readonly concurrency?: number;
  /** Infinity for messages that stand for something that must be seen through. */
  readonly maxAttempts?: number;
}

export interface Worker {
  /** Takes no more messages, and waits for those that are being handled. */
  stop(): Promise<void>;
}

const ackWaitMs = 30_000;
const workingEveryMs = 10_000;
const longestDelayMs = 60_000;

/** Starts a worker; its consumer is made or brought up to date. */
export const startWorker = async (store: EventStore, options: WorkerOptions): Promise<Worker> => {
  const { js, jsm, replicas } = store;
  const { stream, name, concurrency = 16 } = options;
  await jsm.consumers.add(stream, {
    durable_name: name,
    filter_subjects: [...options.subjects],
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    deliver_policy: DeliverPolicy.All,
    // Messages that wait to be asked again count as pending, and must not keep others out.
    max_ack_pending: 10_000,
    num_replicas: replicas,
  });
  const consumer = await js.consumers.get(stream, name);
  const messages = await consumer.consume({ max_messages: concurrency, idle_heartbeat: 2_000 });
  const limit = pLimit(concurrency);
  const running = new Set<Promise<void>>();
  const pumping = (async () => {
    for await (const message of messages) {
      const task = limit(() => handleMessage(store, message, options)).finally(() =>
        running.delete(task),
      );
      running.add(task);
    }
  })();
  return {
    stop: async () => {
      await messages.close();
      await pumping;
      await Promise.all(running);
    },
  };
};

const handleMessage = async (
  store: EventStore,
  message: JsMsg,
  options: WorkerOptions,
): Promise<void> => {
  const { name, handle, log, maxAttempts = 8 } = options;
  const attempt = message.info.deliveryCount;
  const heartbeat = setInterval(() => message.working(), workingEveryMs);
  try {
    const handled = await handle(message, attempt);
    if (handled) {
      message.nak(handled.retryInMs);
    } else {
      message.ack();
    }
  } catch (error) {
    const details = { worker: name, subject: message.subject, sequence: message.seq, attempt };
    if (attempt < maxAttempts) {
      log.warn({ ...details, err: error }, "a message could not be handled; it is tried again");
      message.nak(Math.min(100 * 2 ** attempt, longestDelayMs));
      return;
    }
    log.error({ ...details, err: error }, "a message could not be handled; it is given up");
    await giveUp(store, message, { name, error, log });
  } finally {
    clearInterval(heartbeat);
  }
};

const giveUp = async (
  store: EventStore,
  message: JsMsg,
  { name, error, log }: Pick<WorkerOptions, "name" | "log"> & { readonly error: unknown },
): Promise<void> => {
  const { stream, deliveryCount } = message.info;
  const { seq: sequence, subject } = message;
  try {
    await keepDeadLetter(store, {
      worker: name,
      stream,
      sequence,
      subject,
      attempts: deliveryCount,
      error,
    });
    message.term("gave up after the last attempt");
  } catch (failure) {
    // The letter could not be kept: better to try the message again than to lose it.
    log.error({ worker: name, err: failure }, "a dead letter could not be kept");
    message.nak(longestDelayMs);
  }
};
