import type { AggregateRef, CommitMeta } from "#contracts/commit";
import { type AnyEvent, parseEvent } from "#contracts/event-registry";
import type { RecordedCommit } from "#event-store/recorded";
import { storable } from "./storable-text.ts";

/** A commit as projections see it: its events parsed, in their present shapes, and fit to be stored. */
export interface ProjectedCommit {
  readonly ref: AggregateRef;
  readonly shard: number;
  /** Where the commit stands in its shard. */
  readonly sequence: number;
  readonly hash: string;
  readonly meta: CommitMeta;
  readonly events: readonly AnyEvent[];
}

/** Parses a commit's events. Throws `event_unknown` and `event_invalid`. */
export const readCommit = ({
  ref,
  shard,
  sequence,
  hash,
  commit,
}: RecordedCommit): ProjectedCommit => ({
  ref,
  shard,
  sequence,
  hash,
  meta: storable(commit.meta),
  events: commit.events.map((stored) => storable(parseEvent(stored))),
});
