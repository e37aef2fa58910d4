/**
 * The loop under every worker: messages are handled at least once, several at a time, with no promise
 * of order. A message that fails is tried again later; after its last attempt it becomes a dead letter,
 * and when an operator hands it back it goes through the same handler.
 */
import type { JsMsg } from "@nats-io/jetstream";
import { acknowledgeNow, acknowledgeSoon } from "./acknowledge.ts";
import { keepDeadLetter } from "./dead-letters.ts";
import { startDurableLoop, type Worker } from "./durable-loop.ts";
import type { EventStore } from "../event-store.ts";
import { failureOf, recordFailure } from "./failures.ts";
import type { Log } from "../log.ts";
import { startRequeueLoop } from "./requeue.ts";
import type { WorkHandler, WorkMessage } from "./work-message.ts";

export type { Worker } from "./durable-loop.ts";
export type { Handled } from "./work-message.ts";

export interface WorkerOptions {
  readonly stream: string;
  /**
   * The durable consumer's name. Workers of the same name share the messages, and what is requeued
   * of any of their streams: their handlers must be the same.
   */
  readonly name: string;
  readonly subjects: readonly string[];
  readonly handle: WorkHandler;
  readonly log: Log;
  readonly concurrency?: number;
  /** How long a worker that has died keeps what it was given, in milliseconds; 30 s unless told. */
  readonly ackWaitMs?: number | undefined;
  /** How many failures are enough; Infinity for messages that must be seen through. */
  readonly maxAttempts?: number;
}

const longestDelayMs = 60_000;

/** Starts a worker; its consumers are made or brought up to date. */
export const startWorker = async (store: EventStore, options: WorkerOptions): Promise<Worker> => {
  const { stream, name, subjects, concurrency = 16 } = options;
  const main = await startDurableLoop(store, {
    stream,
    durable: name,
    subjects,
    concurrency,
    ackWaitMs: options.ackWaitMs,
    handle: (message) => handleMessage(store, message, options),
  });
  try {
    const requeued = await startRequeueLoop(store, options);
    return {
      stop: async () => {
        await Promise.all([main.stop(), requeued.stop()]);
        acknowledgeNow(store);
      },
    };
  } catch (error) {
    await main.stop();
    throw error;
  }
};

const handleMessage = async (
  store: EventStore,
  message: JsMsg,
  options: WorkerOptions,
): Promise<void> => {
  try {
    const handled = await options.handle(workMessageOf(message), message.info.deliveryCount);
    if (handled) {
      message.nak(handled.retryInMs);
    } else {
      acknowledgeSoon(store, message);
    }
  } catch (error) {
    await settleFailure(store, message, { options, error });
  }
};

/** A message whose failure cannot be recorded is tried again: better once more than lost. */
const settleFailure = async (
  store: EventStore,
  message: JsMsg,
  { options, error }: { readonly options: WorkerOptions; readonly error: unknown },
): Promise<void> => {
  const { name, log, maxAttempts = 8 } = options;
  const { stream, deliveryCount: attempt } = message.info;
  const { subject, seq: sequence } = message;
  const details = { worker: name, subject, sequence, attempt };
  store.observer?.messageFailed(name);
  if (maxAttempts === Infinity) {
    log.warn({ ...details, err: error }, "a message could not be handled; it is tried again");
    message.nak(retryDelayMs(attempt));
    return;
  }
  try {
    const key = { worker: name, stream, sequence };
    const { failures, history } = await recordFailure(store, key, failureOf(error, attempt));
    if (failures < maxAttempts) {
      log.warn({ ...details, err: error }, "a message could not be handled; it is tried again");
      message.nak(retryDelayMs(failures));
      return;
    }
    log.error({ ...details, err: error }, "a message could not be handled; it is given up");
    await keepDeadLetter(store, { ...key, subject, attempts: attempt, requeues: 0, history });
    message.term("gave up after the last attempt");
  } catch (failure) {
    log.error({ ...details, err: failure, because: error }, "a failure could not be recorded");
    message.nak(longestDelayMs);
  }
};

const retryDelayMs = (failures: number): number => Math.min(100 * 2 ** failures, longestDelayMs);

const workMessageOf = (message: JsMsg): WorkMessage => ({
  subject: message.subject,
  seq: message.seq,
  data: message.data,
  storedAt: message.time,
  header: (name) => message.headers?.get(name) ?? "",
  json: () => message.json(),
});
