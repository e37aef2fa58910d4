import type { AggregateRef, CommitMeta, StoredEvent } from "#contracts/commit";
import { type AnyEvent, assertKnown, parseEvent } from "#contracts/event-registry";
import type { RecordedCommit } from "#event-store/reading/recorded";
import { storable } from "./storable-text.ts";

/**
 * A commit as projections see it: its events in their present shapes, and fit to be stored. The data of an
 * event are parsed when the first projection looks at them, which throws `event_invalid` if they do not fit
 * their schema: only the read models that need them can fail by them, or have to wait for it.
 */
export interface ProjectedCommit {
  readonly ref: AggregateRef;
  readonly shard: number;
  /** Where the commit stands in its shard. */
  readonly sequence: number;
  readonly hash: string;
  readonly meta: CommitMeta;
  readonly events: readonly AnyEvent[];
}

/** Reads a commit. Throws `event_unknown` for an event whose type or version this program does not know. */
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
  events: commit.events.map(eventOf),
});

class ProjectedEvent {
  readonly type: string;
  readonly #stored: StoredEvent;
  #parsed: AnyEvent | undefined;

  constructor(stored: StoredEvent) {
    this.type = stored.type;
    this.#stored = stored;
  }

  get data(): AnyEvent["data"] {
    this.#parsed ??= storable(parseEvent(this.#stored));
    return this.#parsed.data;
  }
}

const eventOf = (stored: StoredEvent): AnyEvent => {
  assertKnown(stored);
  // the type and the data belong together: both are those of the stored event
  return new ProjectedEvent(stored) as AnyEvent;
};
