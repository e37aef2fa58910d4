import { genesisHash } from "#contracts/commit";
import type { Position } from "#contracts/position";
import type { RecordedCommit } from "./recorded.ts";

export type ChainVerdict =
  | { readonly ok: true; readonly commits: number; readonly aggregates: number }
  | {
      readonly ok: false;
      readonly position: Position;
      readonly aggregate: string;
      /** The hash that the commit names as its predecessor's, and the one that it should name. */
      readonly named: string;
      readonly expected: string;
    };

/**
 * Checks that every commit follows the one before it of the same aggregate. The commits come in the
 * order of their shards, from the first.
 */
export const verifyChain = async (
  commits: AsyncIterable<RecordedCommit>,
): Promise<ChainVerdict> => {
  const heads = new Map<string, string>();
  let count = 0;
  for await (const { ref, commit, hash, position } of commits) {
    const aggregate = `${ref.organization}.${ref.aggregate}.${ref.id}`;
    const expected = heads.get(aggregate) ?? genesisHash;
    if (commit.meta.prev !== expected) {
      return { ok: false, position, aggregate, named: commit.meta.prev, expected };
    }
    heads.set(aggregate, hash);
    count += 1;
  }
  return { ok: true, commits: count, aggregates: heads.size };
};
