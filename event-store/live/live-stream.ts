import type { EventStore } from "../event-store.ts";
import { liveStream, streamDefinitions } from "../topology/streams.ts";

const restoring = new WeakMap<EventStore, Promise<void>>();

/**
 * Makes the stream of the live channel anew if it is gone: it is kept in memory, so that a server which is
 * restarted has forgotten it. Changes nothing if it is there, and is asked for once at a time.
 */
export const restoreLiveStream = (store: EventStore): Promise<void> => {
  const present = restoring.get(store) ?? restore(store);
  restoring.set(store, present);
  return present;
};

const restore = async (store: EventStore): Promise<void> => {
  const { jsm, shards, replicas } = store;
  const definition = streamDefinitions({ shards, replicas }).find(
    ({ name }) => name === liveStream,
  );
  try {
    if (definition) await jsm.streams.add(definition);
  } catch {
    // It cannot be had just now: whoever publishes next finds out whether it can by then.
  } finally {
    restoring.delete(store);
  }
};
