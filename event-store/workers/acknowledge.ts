/**
 * Acknowledgements that go out together. Each by itself is a write to the connection, which costs more than all else
 * about a message that a worker passes over; and several workers are given the same commit. A worker that dies
 * before it has said so is given the message once more, as it always may be.
 */
import type { JsMsg } from "@nats-io/jetstream";
import type { EventStore } from "../event-store.ts";

/** Far less than the time after which a message is given to another, in milliseconds. */
const longestWaitMs = 10;

/** What waits to go out, for each store. */
const waiting = new WeakMap<EventStore, JsMsg[]>();

/** Acknowledges a message in a moment, with what else was handled by then. */
export const acknowledgeSoon = (store: EventStore, message: JsMsg): void => {
  const together = waiting.get(store);
  if (together) {
    together.push(message);
    return;
  }
  waiting.set(store, [message]);
  setTimeout(() => acknowledgeNow(store), longestWaitMs);
};

/** Sends what waits: to be called before the connection is closed. */
export const acknowledgeNow = (store: EventStore): void => {
  const together = waiting.get(store) ?? [];
  waiting.delete(store);
  // Whoever has ended the connection without a word gets them again, or somebody else does.
  if (store.connection.isClosed() || store.connection.isDraining()) return;
  for (const message of together) message.ack();
};
