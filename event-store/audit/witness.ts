import type { AggregateRef } from "#contracts/commit";
import type { LogScope } from "./scope.ts";

/** A commit as somebody else remembers it. */
export interface WitnessedCommit {
  readonly shard: number;
  readonly sequence: number;
  readonly hash: string;
  readonly commandId: string;
}

/** The newest commit of an aggregate that somebody else remembers. */
export interface WitnessedHead {
  readonly ref: AggregateRef;
  readonly hash: string;
}

/** What a witness remembers, at one moment. */
export interface Testimony {
  /** Up to which sequence of each shard the witness has seen the log. */
  readonly through: ReadonlyMap<number, number>;
  readonly heads: readonly WitnessedHead[];
}

/**
 * Somebody who has seen the log and remembers its hashes elsewhere: a chain alone cannot tell that its
 * newest commits were cut off.
 */
export interface Witness {
  testify(scope: LogScope): Promise<Testimony>;
  /** All commits of one aggregate up to a sequence, in order. */
  commitsOf(ref: AggregateRef, through: number): Promise<readonly WitnessedCommit[]>;
}
