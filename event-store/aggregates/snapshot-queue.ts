/**
 * Snapshots are written after the command that made them due was answered, and one after the other: nobody
 * waits for a cache, and aggregates that grow in step do not all become due at once.
 */
import type { AggregateRef } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import type { Folding } from "./fold.ts";
import type { AggregateDefinition } from "./load.ts";
import { writeSnapshot } from "./snapshots.ts";

const lastOf = new WeakMap<EventStore, Promise<void>>();

/** Writes a snapshot soon. One that cannot be written is due again when as many commits have come once more. */
export const queueSnapshot = <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  due: { readonly ref: AggregateRef; readonly folding: Folding<State> },
): void => {
  const before = lastOf.get(store) ?? Promise.resolve();
  lastOf.set(
    store,
    before.then(() => writeSnapshot(store, definition, due)),
  );
};
