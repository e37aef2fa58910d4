/** Rebuilds an aggregate from its snapshot, if one fits, and the commits after it. */
import { type AggregateRef, type AggregateType, genesisHash } from "#contracts/commit";
import { type AnyEvent, parseEvent } from "#contracts/event-registry";
import type { Position } from "#contracts/position";
import type { Decider } from "./decider.ts";
import type { EventStore } from "./event-store.ts";
import { formatPosition } from "./position.ts";
import { readAggregate } from "./read-aggregate.ts";
import type { RecordedCommit } from "./recorded.ts";
import { shardOf } from "./sharding.ts";
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
}

/** How many of an aggregate's newest commands are remembered, to recognise one that comes again. */
const rememberedCommands = 1_024;

export interface LoadedAggregate<State> {
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
 * @throws DomainError `log_unavailable`, `event_unknown`, `event_invalid`
 */
export const loadAggregate = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
): Promise<LoadedAggregate<State>> => {
  const ref: AggregateRef = { ...key, aggregate: definition.aggregate };
  const snapshot = await readSnapshot(store, definition, ref);
  const start: Folding<State> = snapshot ?? {
    state: definition.decider.initialState(),
    sequence: 0,
    hash: genesisHash,
    commands: new Map(),
  };
  const folded = await fold(store, definition.decider, { ref, start });
  // A first commit that does not follow the snapshot means that the snapshot is of another history.
  const whole =
    folded === "does_not_follow"
      ? await fold(store, definition.decider, {
          ref,
          start: {
            state: definition.decider.initialState(),
            sequence: 0,
            hash: genesisHash,
            commands: new Map(),
          },
        })
      : folded;
  if (whole === "does_not_follow") {
    throw new Error(`The hash chain of ${ref.aggregate} ${ref.id} is broken at its first commit.`);
  }
  return {
    ...whole,
    position:
      whole.sequence === 0
        ? null
        : formatPosition(shardOf(ref.organization, store.shards), whole.sequence),
  };
};

export interface Folding<State> {
  readonly state: State;
  readonly sequence: number;
  readonly hash: string;
  readonly commands: ReadonlyMap<string, number>;
}

const fold = async <Command, Event, State>(
  store: EventStore,
  decider: Decider<Command, Event, State>,
  { ref, start }: { readonly ref: AggregateRef; readonly start: Folding<State> },
): Promise<(Folding<State> & { readonly folded: number }) | "does_not_follow"> => {
  let { state, sequence, hash } = start;
  const commands = new Map(start.commands);
  let folded = 0;
  for await (const recorded of readAggregate(store, ref, { after: start.sequence })) {
    if (folded === 0 && recorded.commit.meta.prev !== hash) {
      return "does_not_follow";
    }
    state = eventsOf(recorded).reduce<State>(
      (before, event) => decider.evolve(before, event as Event),
      state,
    );
    sequence = recorded.sequence;
    hash = recorded.hash;
    folded += 1;
    remember(commands, recorded.commit.meta.commandId, sequence);
  }
  return { state, sequence, hash, commands, folded };
};

/** The events of a commit in their present shapes. */
export const eventsOf = ({ commit }: RecordedCommit): readonly AnyEvent[] =>
  commit.events.map(parseEvent);

const remember = (commands: Map<string, number>, commandId: string, sequence: number): void => {
  commands.set(commandId, sequence);
  if (commands.size > rememberedCommands) {
    const [oldest] = commands.keys();
    if (oldest !== undefined) {
      commands.delete(oldest);
    }
  }
};
