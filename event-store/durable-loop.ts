/**
 * A durable pull consumer whose messages are handed out several at a time, with no promise of order.
 * While a message is being handled the server is told so; what becomes of it is the caller's to say.
 */
import { AckPolicy, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import pLimit from "p-limit";
import type { EventStore } from "./event-store.ts";

export interface DurableLoopOptions {
  readonly stream: string;
  readonly durable: string;
  readonly subjects: readonly string[];
  readonly concurrency: number;
  /** Must settle the message and must not throw. */
  readonly handle: (message: JsMsg) => Promise<void>;
}

export interface Worker {
  /** Takes no more messages, and waits for those that are being handled. */
  stop(): Promise<void>;
}

const ackWaitMs = 30_000;
const workingEveryMs = 10_000;

/** Starts the loop; its consumer is made or brought up to date. */
export const startDurableLoop = async (
  { js, jsm, replicas }: EventStore,
  { stream, durable, subjects, concurrency, handle }: DurableLoopOptions,
): Promise<Worker> => {
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
  const messages = await consumer.consume({ max_messages: concurrency, idle_heartbeat: 2_000 });
  const limit = pLimit(concurrency);
  const running = new Set<Promise<void>>();
  const pumping = (async () => {
    for await (const message of messages) {
      const task = limit(() => whileWorking(message, handle)).finally(() => running.delete(task));
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
  handle: DurableLoopOptions["handle"],
): Promise<void> => {
  const heartbeat = setInterval(() => message.working(), workingEveryMs);
  try {
    await handle(message);
  } finally {
    clearInterval(heartbeat);
  }
};
