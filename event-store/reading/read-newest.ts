import type { AggregateRef } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import { shardOf, streamOf, subjectOf } from "../sharding.ts";
import { readRecorded, type RecordedCommit } from "./recorded.ts";

/**
 * The newest commit of an aggregate with its text as it is stored, that is sealed; null for none. Any replica
 * answers, and may be a moment behind the leader.
 */
export const readNewest = async (
  { jsm, shards }: EventStore,
  ref: AggregateRef,
): Promise<RecordedCommit | null> => {
  const stream = streamOf(shardOf(ref.organization, shards));
  const stored = await jsm.direct.getMessage(stream, { last_by_subj: subjectOf(ref, shards) });
  return stored && readRecorded(stored);
};
