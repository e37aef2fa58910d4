import type { AggregateRef } from "#contracts/commit";
import type { EventType } from "#contracts/event-registry";
import type { EventStore } from "../event-store.ts";
import { subjectOf } from "../sharding.ts";
import { parseCommit } from "./recorded.ts";

/**
 * Tells that somebody appends one of these events to an aggregate. Only a nudge: it may get lost, it may come a moment before
 * the commit can be read, and also for one that the log refuses. Whoever reads after this call and at each
 * nudge misses only what was lost.
 */
export const watchAggregate = (
  { connection, shards }: EventStore,
  ref: AggregateRef,
  { events, onNudge }: { readonly events: readonly EventType[]; readonly onNudge: () => void },
): { stop(): void } => {
  const wanted = new Set<string>(events);
  // What is appended is published on the aggregate's own subject, where others may listen too.
  const subscription = connection.subscribe(subjectOf(ref, shards), {
    callback: (error, { subject, data }) => {
      if (error) return;
      const commit = parseCommit(data, subject, 0);
      if (commit.events.some(({ type }) => wanted.has(type))) onNudge();
    },
  });
  return { stop: () => subscription.unsubscribe() };
};
