import type { AggregateRef, StoredEvent } from "#contracts/commit";
import { isDomainError } from "#contracts/errors";
import type { StoreObserver } from "../observer.ts";
import type { Appended } from "./append.ts";

/** Appends, and tells how that went. What another attempt has stored before is that one's to tell. */
export const observeAppend = async (
  observer: StoreObserver | null,
  { ref, events }: { readonly ref: AggregateRef; readonly events: readonly StoredEvent[] },
  append: () => Promise<Appended>,
): Promise<Appended> => {
  if (observer === null) return append();
  const startedAt = performance.now();
  try {
    const appended = await append();
    if (!appended.recordedBefore) observer.appended(events, performance.now() - startedAt);
    return appended;
  } catch (error) {
    if (isDomainError(error, "concurrency_conflict")) observer.conflicted(ref.aggregate);
    else observer.appendFailed(error);
    throw error;
  }
};
