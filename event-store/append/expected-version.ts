import { genesisHash } from "#contracts/commit";

/** An aggregate's last commit: its sequence in the shard's stream, and the hash of its bytes. */
export interface AggregateVersion {
  /** 0 of an aggregate without commits. */
  readonly sequence: number;
  /** SHA-256 in hex; `genesisHash` of an aggregate without commits. */
  readonly hash: string;
}

/** The version of an aggregate that has no commit yet. */
export const noCommits: AggregateVersion = { sequence: 0, hash: genesisHash };

/**
 * What an append says of the aggregate that it follows: that it has no commit yet, that this is its
 * last one, or nothing at all. A caller that has decided something on the aggregate's state must name
 * the version that it has seen; `any` is for what is true whatever has happened before.
 */
export type ExpectedVersion = "new" | AggregateVersion | "any";
