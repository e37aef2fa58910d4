import { DomainError } from "#contracts/errors";
import { findDeadLetter, storeDeadLetter } from "./dead-letters.ts";
import type { EventStore } from "../event-store.ts";

/**
 * Settles a letter for good: its message is not handled any more. The letter stays as the record of who
 * decided so, and is not listed with the others.
 *
 * @throws DomainError `not_found`; `concurrency_conflict` when it failed anew meanwhile
 */
export const dropDeadLetter = async (
  store: EventStore,
  id: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<void> => {
  const stored = await findDeadLetter(store, id);
  if (!stored || stored.letter.dropped) {
    throw new DomainError("not_found", `There is no dead letter "${id}".`, { fields: { id } });
  }
  const dropped = { by, reason, at: new Date().toISOString() };
  await storeDeadLetter(store, { ...stored.letter, dropped }, stored.revision);
};
