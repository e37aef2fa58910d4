import type { AggregateRef } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import { subjectOf } from "../sharding.ts";

/**
 * Tells that somebody appends to an aggregate. Only a nudge: it may get lost, it may come a moment before
 * the commit can be read, and also for one that the log refuses. Whoever reads after this call and at each
 * nudge misses only what was lost.
 */
export const watchAggregate = (
  { connection, shards }: EventStore,
  ref: AggregateRef,
  onNudge: () => void,
): { stop(): void } => {
  // What is appended is published on the aggregate's own subject, where others may listen too.
  const subscription = connection.subscribe(subjectOf(ref, shards), {
    callback: (error) => {
      if (!error) onNudge();
    },
  });
  return { stop: () => subscription.unsubscribe() };
};
