import type { AggregateRef } from "#contracts/commit";
import { definitionOf } from "#contracts/event-registry";
import { DomainError } from "#contracts/errors";
import { newId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import { append, type Appended, ConcurrencyConflict, type NewCommit } from "../append/append.ts";
import type { CommandMeta } from "../command-meta.ts";
import type { EventStore } from "../event-store.ts";
import type { AggregateVersion } from "../append/expected-version.ts";
import { nothingFolded, withCommand } from "./fold.ts";
import { keepAggregate, loadKept, recallAggregate } from "./kept-aggregates.ts";
import type { AggregateDefinition, AggregateKey, LoadedAggregate } from "./load.ts";
import { formatPosition } from "../position.ts";
import { sealCommit } from "../sealing/seal-commit.ts";
import { shardOf } from "../sharding.ts";
import { queueSnapshot } from "./snapshot-queue.ts";
import { commitsBetweenSnapshots } from "./snapshots.ts";
import { textOwnerOf } from "./text-owner.ts";

/** How often a command is decided anew when others change its aggregate at the same time. */
const maxDecisions = 5;

export interface Executed<Event, State> {
  /** Where the command's commit stands; the aggregate's last one if the command changed nothing. */
  readonly position: Position;
  /** The state after the command. */
  readonly state: State;
  readonly events: readonly Event[];
  /** Whether a commit was appended by this very call. */
  readonly changed: boolean;
}

/**
 * Carries a command out: loads the aggregate, decides, and appends the outcome as one commit. A
 * conflict is decided again on the newer state, up to five times. A command whose id is in the log
 * already changes nothing and answers where it stands.
 *
 * Where this process has kept the aggregate, it is decided on that first, without asking the log: the
 * append proves that nothing came since.
 *
 * @throws what the decider throws; DomainError `concurrency_conflict`, `commit_too_large`,
 * `log_unavailable`, and `not_found` for a command that does nothing to an aggregate without commits
 */
export const execute = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
  command: Command,
  meta: CommandMeta,
): Promise<Executed<Event, State>> =>
  decideFirstOn(
    await recallAggregate(store, definition, key),
    { store, definition, key, meta },
    command,
  );

/**
 * As {@link execute}, for an aggregate that is probably not there yet, because its id is new: it is decided
 * on as one without commits first.
 */
export const executeOnNew = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
  command: Command,
  meta: CommandMeta,
): Promise<Executed<Event, State>> => {
  const kept = await recallAggregate(store, definition, key);
  const nothing = { ...nothingFolded(definition.decider), position: null, folded: 0 };
  return decideFirstOn(kept ?? nothing, { store, definition, key, meta }, command);
};

interface Asked<Command, Event, State> {
  readonly store: EventStore;
  readonly definition: AggregateDefinition<Command, Event, State>;
  readonly key: AggregateKey;
  readonly meta: CommandMeta;
}

/** @param kept a state of the aggregate that may be old; null if none is known */
const decideFirstOn = async <Command, Event, State>(
  kept: LoadedAggregate<State> | null,
  { store, definition, key, meta }: Asked<Command, Event, State>,
  command: Command,
): Promise<Executed<Event, State>> => {
  const ref: AggregateRef = { ...key, aggregate: definition.aggregate };
  const asked = { store, definition, key, meta };
  const events = kept && eventsOnKept(definition, kept, command);
  if (kept && events && !kept.commands.has(meta.commandId)) {
    const executed = await appendDecided(asked, kept, events);
    if (executed !== null) return executed;
  }
  for (let decision = 1; ; decision += 1) {
    const loaded = await loadKept(store, definition, key);
    const known = loaded.commands.get(meta.commandId);
    if (known !== undefined) {
      return unchanged(loaded, formatPosition(shardOf(ref.organization, store.shards), known));
    }
    if (decision > maxDecisions) throw new ConcurrencyConflict(ref);
    const events = definition.decider.decide(command, loaded.state);
    if (events.length === 0) return unchanged(loaded, positionOf(ref, loaded));
    const executed = await appendDecided(asked, loaded, events);
    if (executed !== null) return executed;
  }
};

/** What is decided on a state that may be old; null for nothing that an append could prove to be right. */
const eventsOnKept = <Command, Event, State>(
  { decider }: AggregateDefinition<Command, Event, State>,
  { state }: LoadedAggregate<State>,
  command: Command,
): readonly Event[] | null => {
  try {
    const events = decider.decide(command, state);
    return events.length === 0 ? null : events;
  } catch {
    // A refusal, perhaps of what is no longer so: it is for the log to say.
    return null;
  }
};

/** Appends what was decided on a state, and keeps the new one; null when the log holds another state. */
const appendDecided = async <Command, Event, State>(
  { store, definition, key, meta }: Asked<Command, Event, State>,
  loaded: LoadedAggregate<State>,
  events: readonly Event[],
): Promise<Executed<Event, State> | null> => {
  const ref: AggregateRef = { ...key, aggregate: definition.aggregate };
  const state = events.reduce<State>(definition.decider.evolve, loaded.state);
  const owner = textOwnerOf(definition, key, state);
  const commit = await sealCommit(store.dataKeys, { ref, owner }, commitOf(events, meta));
  const appended = await appendUnlessChanged(store, ref, { commit, expected: loaded });
  if (appended === null || appended.recordedBefore) return null;
  const { sequence, hash, bytes } = appended;
  const position = formatPosition(appended.shard, sequence);
  const isSealed = commit.events.some(({ sealed }) => sealed);
  const next: LoadedAggregate<State> = {
    ...{ state, sequence, position, hash },
    folded: loaded.folded + 1,
    commands: withCommand(loaded.commands, meta.commandId, sequence),
    bytes: loaded.bytes + bytes,
    textOwners: isSealed ? new Set(loaded.textOwners).add(owner) : loaded.textOwners,
  };
  const isDue = loaded.folded >= commitsBetweenSnapshots;
  if (isDue) queueSnapshot(store, definition, { ref, folding: next });
  keepAggregate(store, definition, key, isDue ? { ...next, folded: 0 } : next);
  return { position, state, events, changed: true };
};

/** Null when somebody else has appended meanwhile. */
const appendUnlessChanged = async (
  store: EventStore,
  ref: AggregateRef,
  { commit, expected }: { readonly commit: NewCommit; readonly expected: AggregateVersion },
): Promise<Appended | null> => {
  try {
    return await append(store, ref, commit, { expected });
  } catch (error) {
    if (error instanceof ConcurrencyConflict) return null;
    throw error;
  }
};

const unchanged = <Event, State>(
  { state }: LoadedAggregate<State>,
  position: Position,
): Executed<Event, State> => ({ position, state, events: [], changed: false });

const positionOf = <State>(ref: AggregateRef, { position }: LoadedAggregate<State>): Position => {
  if (position === null) {
    throw new DomainError("not_found", `There is no such ${ref.aggregate}.`, {
      fields: { aggregate: ref.aggregate, id: ref.id },
    });
  }
  return position;
};

/** Deciders answer plain events; their ids and versions are added here. */
const commitOf = (events: readonly unknown[], meta: CommandMeta): NewCommit => ({
  v: 1,
  events: (events as readonly { type: string; data: Record<string, unknown> }[]).map(
    ({ type, data }) => ({ id: newId("event"), type, v: definitionOf(type).v, data }),
  ),
  meta,
});
