import { type AggregateRef, genesisHash } from "#contracts/commit";
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

/** Names an aggregate in one text: `org_….session.ses_…`. */
export const aggregateName = ({ organization, aggregate, id }: AggregateRef): string =>
  `${organization}.${aggregate}.${id}`;

/** The newest commit of each aggregate, while commits are gone through in the order of the log. */
export class ChainHeads {
  readonly #heads = new Map<string, string>();

  get aggregates(): number {
    return this.#heads.size;
  }

  /**
   * Takes the next commit. Answers the hash that it should name as its predecessor's; the chain holds
   * if it does. It is the head from then on, also when the chain does not hold.
   */
  follow(ref: AggregateRef, hash: string): string {
    const aggregate = aggregateName(ref);
    const expected = this.#heads.get(aggregate) ?? genesisHash;
    this.#heads.set(aggregate, hash);
    return expected;
  }
}

/**
 * Checks that every commit follows the one before it of the same aggregate, and stops at the first
 * that does not. The commits come in the order of their shards, from the first. What exactly happened
 * to a log is told by `audit/verify-log.ts`.
 */
export const verifyChain = async (
  commits: AsyncIterable<RecordedCommit>,
): Promise<ChainVerdict> => {
  const heads = new ChainHeads();
  let count = 0;
  for await (const { ref, commit, hash, position } of commits) {
    const expected = heads.follow(ref, hash);
    if (commit.meta.prev !== expected) {
      return {
        ok: false,
        position,
        aggregate: aggregateName(ref),
        named: commit.meta.prev,
        expected,
      };
    }
    count += 1;
  }
  return { ok: true, commits: count, aggregates: heads.aggregates };
};
