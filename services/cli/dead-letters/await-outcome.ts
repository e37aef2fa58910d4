import { setTimeout as delay } from "node:timers/promises";
import { findDeadLetter, type StoredDeadLetter } from "#event-store/workers/dead-letters";
import type { EventStore } from "#event-store/event-store";

const pollMs = 100;

/** What became of a requeued letter: handled, failed anew, or not taken within the time given. */
export type RequeueOutcome =
  | { readonly kind: "handled" }
  | { readonly kind: "failed"; readonly stored: StoredDeadLetter }
  | { readonly kind: "waiting" };

/** Watches a letter that was at `before` when it was requeued. */
export const awaitOutcome = async (
  store: EventStore,
  before: StoredDeadLetter,
  patienceMs: number,
): Promise<RequeueOutcome> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const stored = await findDeadLetter(store, before.id);
    if (!stored) {
      return { kind: "handled" };
    }
    if (stored.letter.requeues > before.letter.requeues) {
      return { kind: "failed", stored };
    }
    if (performance.now() >= deadline) {
      return { kind: "waiting" };
    }
    await delay(pollMs);
  }
};
