import type { AggregateRef } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import { parseSubject, streamOf } from "../sharding.ts";
import { filterOf, type LogScope, shardsOf } from "./scope.ts";

/** The aggregates of a part of the log, in no certain order. */
export const aggregatesIn = async (
  { jsm, shards }: EventStore,
  scope: LogScope,
): Promise<readonly AggregateRef[]> => {
  const found: AggregateRef[] = [];
  for (const shard of shardsOf(scope, shards)) {
    const { state } = await jsm.streams.info(streamOf(shard), {
      subjects_filter: filterOf(scope, shard) ?? ">",
    });
    found.push(...Object.keys(state.subjects ?? {}).map(parseSubject));
  }
  return found;
};
