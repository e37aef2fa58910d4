/**
 * Where the snapshots of aggregates end, as far as this process knows: so that a load may ask for a
 * snapshot and for the commits after it at the same time. Only guesses: a wrong one costs a question.
 */
import type { EventStore } from "../event-store.ts";

/** How many aggregates are remembered of each store; those that were used longest ago are forgotten. */
const most = 10_000;

const endsOf = new WeakMap<EventStore, Map<string, number>>();

/** The sequence of the last commit in the snapshot; 0 if there is none, undefined if that is not known. */
export const guessSnapshotEnd = (store: EventStore, subject: string): number | undefined =>
  endsOf.get(store)?.get(subject);

/** Remembers where an aggregate's snapshot ends; 0 if it has none. */
export const rememberSnapshotEnd = (store: EventStore, subject: string, sequence: number): void => {
  const ends = endsOf.get(store) ?? new Map<string, number>();
  endsOf.set(store, ends);
  // The order of a map is that of insertion: the newest go to its end.
  ends.delete(subject);
  ends.set(subject, sequence);
  if (ends.size > most) {
    const [oldest] = ends.keys();
    if (oldest !== undefined) {
      ends.delete(oldest);
    }
  }
};
