/** The inbox: verified deliveries of webhooks, stored before anything is done with them. */
import { z } from "zod";
import type { EventStore } from "./event-store.ts";
import type { Log } from "./log.ts";
import { inboxStream } from "./topology/streams.ts";
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

/**
 * Stores a delivery. One whose id came within the last ten minutes is not stored again; later
 * repetitions are recognised by the run that they belong to.
 */
export const storeDelivery = async (
  { js }: EventStore,
  delivery: Delivery,
): Promise<{ readonly duplicate: boolean }> => {
  const { organization, triggerId, deliveryId, body } = delivery;
  const ack = await js.publish(
    `inbox.${organization}.${triggerId}`,
    JSON.stringify({ ...delivery, body: body.toString("base64") }),
    { msgID: `${triggerId}:${deliveryId}`, timeout: 5_000 },
  );
  return { duplicate: ack.duplicate };
};

/** Starts the worker that handles deliveries, at least once each. */
export const startInboxWorker = (
  store: EventStore,
  options: {
    readonly handle: (delivery: Delivery, attempt: number) => Promise<Handled>;
    readonly log: Log;
  },
): Promise<Worker> =>
  startWorker(store, {
    stream: inboxStream,
    name: "inbox",
    subjects: ["inbox.>"],
    handle: (message, attempt) => options.handle(deliverySchema.parse(message.json()), attempt),
    log: options.log,
  });
