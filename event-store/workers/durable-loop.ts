/**
 * A durable pull consumer whose messages are handed out several at a time, with no promise of order.
 * While a message is being handled the server is told so; what becomes of it is the caller's to say.
 */
import { AckPolicy, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import pLimit from "p-limit";
import type { EventStore } from "../event-store.ts";

export interface DurableLoopOptions {
  readonly stream: string;
  readonly durable: string;
  readonly subjects: readonly string[];
  readonly concurrency: number;
  /** After how many milliseconds without a word a message is handed to another, whoever has it; 30 s unless told. */
  readonly ackWaitMs?: number | undefined;
  /** Must settle the message and must not throw. */
  readonly handle: (message: JsMsg) => Promise<void>;
}

export interface Worker {
  /** Takes no more messages, and waits for those that are being handled. */
  stop(): Promise<void>;
}

const defaultAckWaitMs = 30_000;

/** Starts the loop; its consumer is made or brought up to date. */
export const startDurableLoop = async (
  { js, jsm, replicas }: EventStore,
  options: DurableLoopOptions,
): Promise<Worker> => {
  const { stream, durable, subjects, concurrency, ackWaitMs = defaultAckWaitMs, handle } = options;
  await jsm.consumers.add(stream, {
    durable_name: durable,
    filter_subjects: [...subjects],
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    deliver_policy: DeliverPolicy.All,
    // Messages that wait to be asked again count as pending, and must not keep others out.
    max_ack_pending: 10_000,
    num_replicas: replicas,
  });
  const consumer = await js.consumers.get(stream, durable);
  const messages = await consumer.consume({
    max_messages: concurrency,
    // Messages often come one by one: asked for more after every fourth, a worker would mostly ask.
    threshold_messages: Math.floor(concurrency / 4),
    idle_heartbeat: 2_000,
  });
  const limit = pLimit(concurrency);
  const running = new Set<Promise<void>>();
  const pumping = (async () => {
    for await (const message of messages) {
      const task = limit(() => whileWorking(message, ackWaitMs, handle)).finally(() =>
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

const whileWorking = async (
  message: JsMsg,
  ackWaitMs: number,
  handle: DurableLoopOptions["handle"],
): Promise<void> => {
  const heartbeat = setInterval(() => message.working(), ackWaitMs / 3);
  try {
    await handle(message);
  } finally {
    clearInterval(heartbeat);
  }
};
