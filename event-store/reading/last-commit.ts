import type { AggregateRef } from "#contracts/commit";
import { readFromLeader } from "../cluster/read-from-leader.ts";
import type { EventStore } from "../event-store.ts";
import { shardOf, streamOf, subjectOf } from "../sharding.ts";
import { readRecorded, type RecordedCommit } from "./recorded.ts";

/**
 * The newest commit of an aggregate, as it is stored: its text stays sealed. Null if there is none.
 *
 * @throws DomainError `log_unavailable`, `event_invalid`
 */
export const readLastCommit = async (
  store: EventStore,
  ref: AggregateRef,
): Promise<RecordedCommit | null> => {
  const stream = streamOf(shardOf(ref.organization, store.shards));
  const lookup = { last_by_subj: subjectOf(ref, store.shards) };
  const message = await readFromLeader(store, stream, lookup);
  return message && readRecorded(message);
};
