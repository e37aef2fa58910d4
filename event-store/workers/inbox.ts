/** The inbox: verified deliveries of webhooks, stored before anything is done with them. */
import { headers } from "@nats-io/transport-node";
import { z } from "zod";
import type { EventStore } from "../event-store.ts";
import type { Log } from "../log.ts";
import { readAllMessages } from "../reading/read-messages.ts";
import { traceOf } from "../reading/recorded.ts";
import { inboxStream } from "../topology/streams.ts";
import { messagingAttributes } from "../tracing/commit-attributes.ts";
import { type Traceparent, traceparentHeader } from "../tracing/tracing.ts";
import { inWorkSpan } from "./work-span.ts";
import { type Handled, startWorker, type Worker } from "./worker.ts";

const deliverySchema = z.object({
  organization: z.string(),
  triggerId: z.string(),
  /** The producer's own id of the delivery. */
  deliveryId: z.string(),
  receivedAt: z.iso.datetime(),
  contentType: z.string(),
  body: z.base64().transform((text) => Buffer.from(text, "base64")),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** A delivery, and what the commands that it leads to are a part of. */
export type TracedDelivery = Delivery & { readonly trace?: Traceparent | undefined };

/**
 * Stores a delivery; whoever handles it goes on with its trace. One whose id came within the last ten
 * minutes is not stored again; later repetitions are recognised by the run that they belong to.
 */
export const storeDelivery = async (
  { js }: EventStore,
  { trace, ...delivery }: TracedDelivery,
): Promise<{ readonly duplicate: boolean }> => {
  const { organization, triggerId, body } = delivery;
  const messageHeaders = headers();
  if (trace !== undefined) messageHeaders.set(traceparentHeader, trace);
  const ack = await js.publish(
    subjectOf(organization, triggerId),
    JSON.stringify({ ...delivery, body: body.toString("base64") }),
    { msgID: messageIdOf(delivery), timeout: 5_000, headers: messageHeaders },
  );
  return { duplicate: ack.duplicate };
};

type DeliveryName = Pick<Delivery, "triggerId" | "deliveryId">;

const subjectOf = (organization: string, triggerId: string): string =>
  `inbox.${organization}.${triggerId}`;

const messageIdOf = ({ triggerId, deliveryId }: DeliveryName): string =>
  `${triggerId}:${deliveryId}`;

/** Removes a delivery, handled or not, if it is still kept. */
export const forgetDelivery = async (
  store: EventStore,
  organization: string,
  name: DeliveryName,
): Promise<void> => {
  const deliveries = { stream: inboxStream, subject: subjectOf(organization, name.triggerId) };
  for await (const { header, seq } of readAllMessages(store, deliveries)) {
    if (header.get("Nats-Msg-Id") !== messageIdOf(name)) continue;
    await store.jsm.streams.deleteMessage(inboxStream, seq);
  }
};

/** Removes all deliveries to an organisation, handled or not. */
export const forgetDeliveries = async (
  { jsm }: EventStore,
  organization: string,
): Promise<void> => {
  await jsm.streams.purge(inboxStream, { filter: `inbox.${organization}.>` });
};

/** Starts the worker that handles deliveries, at least once each. One that is part of no trace begins one. */
export const startInboxWorker = (
  store: EventStore,
  options: {
    readonly handle: (delivery: TracedDelivery, attempt: number) => Promise<Handled>;
    readonly log: Log;
  },
): Promise<Worker> =>
  startWorker(store, {
    stream: inboxStream,
    name: "inbox",
    subjects: ["inbox.>"],
    handle: async (message, attempt) => {
      const delivery = deliverySchema.parse(message.json());
      const attributes = {
        ...messagingAttributes("process", inboxStream),
        "proliferate.organization": delivery.organization,
        "proliferate.trigger": delivery.triggerId,
      };
      const { trace: parent } = traceOf(message.header(traceparentHeader));
      const span = { name: "process inbox", kind: "consumer", parent, attributes } as const;
      return inWorkSpan(store.tracing, attempt, span, (trace) =>
        options.handle({ ...delivery, trace }, attempt),
      );
    },
    log: options.log,
  });
