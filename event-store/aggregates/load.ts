/** Rebuilds an aggregate from its snapshot, if one fits, and the commits after it. */
import type { AggregateRef, AggregateType } from "#contracts/commit";
import type { DomainEvent } from "#contracts/event-registry";
import type { Position } from "#contracts/position";
import type { Decider } from "./decider.ts";
import { domainEventsOf } from "./domain-events.ts";
import type { EventStore } from "../event-store.ts";
import {
  type Folded,
  type Folding,
  FoldingInProgress,
  type Material,
  nothingFolded,
} from "./fold.ts";
import { formatPosition } from "../position.ts";
import { readBatch, readBatches } from "../reading/read-aggregate.ts";
import type { MessageBatch } from "../reading/read-messages.ts";
import { hashOf, parseCommit, type RecordedCommit } from "../reading/recorded.ts";
import { openCommits } from "../sealing/open-commits.ts";
import { shardOf, subjectOf } from "../sharding.ts";
import { guessSnapshotEnd, rememberSnapshotEnd } from "./snapshot-ends.ts";
import { readSnapshot } from "./snapshots.ts";

/** A kind of aggregate: how its state is decided, and whether a snapshot of it is kept. */
export interface AggregateDefinition<Command, Event, State> {
  readonly aggregate: AggregateType;
  readonly decider: Decider<Command, Event, State>;
  /**
   * The version of the state's shape. With it, the state (which must be JSON) is kept as a snapshot;
   * change it with every change of the state, so that old snapshots are passed over.
   */
  readonly snapshotVersion?: number;
  /**
   * Whose key seals the text of its events and state, and with whom it is erased: the id of a session,
   * from the state that the events lead to. Without it, the organisation's.
   */
  readonly textOwner?: (key: AggregateKey, state: State) => string;
}

export interface LoadedAggregate<State> extends Material {
  readonly state: State;
  /** The sequence of the last commit in the shard's stream; 0 when there is none. */
  readonly sequence: number;
  readonly position: Position | null;
  /** The hash of the last commit. */
  readonly hash: string;
  /** Commits that were folded after the snapshot. */
  readonly folded: number;
  /** The sequences of the newest commits by their command ids. */
  readonly commands: ReadonlyMap<string, number>;
}

/** An aggregate by its organisation and id; the type comes from its definition. */
export interface AggregateKey {
  readonly organization: string;
  readonly id: string;
}

/**
 * Loads an aggregate. One that has no commit yet has the initial state, sequence 0 and no position.
 *
 * @throws DomainError `log_unavailable`, `log_gap`, `event_unknown`, `event_invalid`
 */
export const loadAggregate = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
): Promise<LoadedAggregate<State>> => {
  const ref: AggregateRef = { ...key, aggregate: definition.aggregate };
  const subject = subjectOf(ref, store.shards);
  // Both are asked for at once; the commits from where the snapshot is expected to end.
  const [snapshot, ahead] = await Promise.all([
    readSnapshot(store, definition, ref),
    readAhead(store, ref, guessSnapshotEnd(store, subject)),
  ]);
  const shortened =
    snapshot && (await foldAfter(store, definition.decider, { ref, snapshot, ahead }));
  rememberSnapshotEnd(store, subject, shortened ? snapshot.sequence : 0);
  return placed(
    store,
    ref,
    shortened ?? (await foldAll(store, definition.decider, { ref, ahead })),
  );
};

/**
 * The same aggregate again: only what came after `before` is read, and the state stays the same object if
 * nothing did. One that `before` is no longer the history of is loaded as a whole.
 *
 * @throws DomainError as {@link loadAggregate}
 */
export const loadAgain = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
  before: LoadedAggregate<State>,
): Promise<LoadedAggregate<State>> => {
  const ref: AggregateRef = { ...key, aggregate: definition.aggregate };
  const ahead = await readBatch(store, ref, { from: before.sequence });
  const folded = await foldAfter(store, definition.decider, { ref, snapshot: before, ahead });
  if (!folded) return loadAggregate(store, definition, key);
  if (folded.folded === 0) return before;
  return placed(store, ref, { ...folded, folded: before.folded + folded.folded });
};

const placed = <State>(
  { shards }: EventStore,
  { organization }: AggregateRef,
  folded: Folded<State>,
): LoadedAggregate<State> => ({
  ...folded,
  position:
    folded.sequence === 0 ? null : formatPosition(shardOf(organization, shards), folded.sequence),
});

/** Most aggregates are short; of a long one no more than this is read in vain, and only once. */
const commitsReadBlindly = 64;

const readAhead = (
  store: EventStore,
  ref: AggregateRef,
  snapshotEnd: number | undefined,
): Promise<MessageBatch> =>
  snapshotEnd === undefined
    ? readBatch(store, ref, { from: 1, limit: commitsReadBlindly })
    : readBatch(store, ref, { from: Math.max(1, snapshotEnd) });

/**
 * Folds what follows a snapshot. The snapshot's own last commit is read too, and must be in the log as
 * the snapshot says: null means that it is of another history.
 */
const foldAfter = async <Command, Event, State>(
  store: EventStore,
  decider: Decider<Command, Event, State>,
  {
    ref,
    snapshot,
    ahead,
  }: { ref: AggregateRef; snapshot: Folding<State> & Material; ahead: MessageBatch },
): Promise<Folded<State> | null> => {
  const batches = readBatches(store, ref, { from: snapshot.sequence, ahead });
  const folding = new FoldingInProgress(decider, ref, snapshot);
  let isFirst = true;
  for await (const messages of batches) {
    const [first] = messages;
    if (isFirst && first) {
      if (first.seq !== snapshot.sequence || hashOf(first.data) !== snapshot.hash) return null;
    }
    await foldMessages(store, folding, { ref, messages: isFirst ? messages.slice(1) : messages });
    isFirst &&= first === undefined;
  }
  return isFirst ? null : folding.result();
};

const foldAll = async <Command, Event, State>(
  store: EventStore,
  decider: Decider<Command, Event, State>,
  { ref, ahead }: { readonly ref: AggregateRef; readonly ahead: MessageBatch },
): Promise<Folded<State>> => {
  const folding = new FoldingInProgress(decider, ref, nothingFolded(decider));
  for await (const messages of readBatches(store, ref, { from: 1, ahead })) {
    await foldMessages(store, folding, { ref, messages });
  }
  return folding.result();
};

const foldMessages = async <Command, Event, State>(
  { dataKeys }: EventStore,
  folding: FoldingInProgress<Command, Event, State>,
  { ref, messages }: { readonly ref: AggregateRef } & Pick<MessageBatch, "messages">,
): Promise<void> => {
  const commits = messages.map(({ subject, seq, data }) => {
    const commit = parseCommit(data, subject, seq);
    folding.count(data.byteLength, commit);
    return { ref, sequence: seq, hash: hashOf(data), commit };
  });
  for (const commit of await openCommits(dataKeys, commits)) folding.add(commit);
};

/** The events that a reactor reacts to. @throws DomainError `event_unknown`, `event_invalid` */
export const eventsOf = ({ commit }: RecordedCommit): readonly DomainEvent[] =>
  domainEventsOf(commit);
