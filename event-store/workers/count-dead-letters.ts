import type { EventStore } from "../event-store.ts";
import { listDeadLetters } from "./dead-letters.ts";

/** How many letters of each worker wait for an operator. Workers without any are left out. */
export const countDeadLetters = async (store: EventStore): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for await (const { letter } of listDeadLetters(store)) {
    counts.set(letter.worker, (counts.get(letter.worker) ?? 0) + 1);
  }
  return counts;
};
