import { readRecorded, type RecordedCommit } from "../reading/recorded.ts";
import type { EventStore } from "../event-store.ts";
import { openCommits } from "../sealing/open-commits.ts";
import { type ReadStoredOptions, readStored, type StoredMessage } from "./stored-messages.ts";

/** A commit with the time at which the server stored it. */
export interface StoredCommit extends RecordedCommit {
  /** In nanoseconds since 1970. */
  readonly storedNanos: bigint;
  /** The same, rounded down to milliseconds: what times that people give are compared with. */
  readonly storedAt: Date;
}

const storedCommitOf = (message: StoredMessage): StoredCommit => ({
  ...readRecorded(message),
  storedNanos: message.storedNanos,
  storedAt: new Date(Number(message.storedNanos / 1_000_000n)),
});

/**
 * The commits of a part of a shard, in order, with their text; in a log that was opened without keys, as
 * they are stored. Throws `event_invalid` for what is none.
 */
export async function* readStoredCommits(
  store: EventStore,
  options: ReadStoredOptions,
): AsyncGenerator<StoredCommit> {
  for await (const message of readStored(store, options)) {
    const stored = [storedCommitOf(message)];
    yield* store.dataKeys === null ? stored : await openCommits(store.dataKeys, stored);
  }
}
