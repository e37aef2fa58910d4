import type { AggregateRef } from "#contracts/commit";
import { definitionOf } from "#contracts/event-registry";
import { DomainError } from "#contracts/errors";
import { newId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import { append, ConcurrencyConflict, type NewCommit } from "./append.ts";
import type { CommandMeta } from "./command-meta.ts";
import type { EventStore } from "./event-store.ts";
import {
  type AggregateDefinition,
  type AggregateKey,
  loadAggregate,
  type LoadedAggregate,
} from "./load.ts";
import { formatPosition } from "./position.ts";
import { sealCommit } from "./sealing/seal-commit.ts";
import { shardOf } from "./sharding.ts";
import { commitsBetweenSnapshots, writeSnapshot } from "./snapshots.ts";
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
 * @throws what the decider throws; DomainError `concurrency_conflict`, `commit_too_large`,
 * `log_unavailable`, and `not_found` for a command that does nothing to an aggregate without commits
 */
export const execute = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
  command: Command,
  meta: CommandMeta,
): Promise<Executed<Event, State>> => {
  const ref: AggregateRef = { ...key, aggregate: definition.aggregate };
  for (let decision = 1; ; decision += 1) {
    const loaded = await loadAggregate(store, definition, key);
    const known = loaded.commands.get(meta.commandId);
    if (known !== undefined) {
      return unchanged(loaded, formatPosition(shardOf(ref.organization, store.shards), known));
    }
    const events = definition.decider.decide(command, loaded.state);
    if (events.length === 0) {
      return unchanged(loaded, positionOf(ref, loaded));
    }
    const state = events.reduce<State>(definition.decider.evolve, loaded.state);
    const commit = await sealCommit(
      store.dataKeys,
      { ref, owner: textOwnerOf(definition, key, state) },
      commitOf(events, meta),
    );
    try {
      const appended = await append(store, ref, commit, { expected: loaded });
      if (appended.recordedBefore) {
        continue;
      }
      const { sequence, hash } = appended;
      if (loaded.folded >= commitsBetweenSnapshots) {
        const commands = new Map([...loaded.commands, [meta.commandId, sequence]]);
        await writeSnapshot(store, definition, {
          ref,
          folding: { state, sequence, hash, commands },
        });
      }
      return { position: formatPosition(appended.shard, sequence), state, events, changed: true };
    } catch (error) {
      if (!(error instanceof ConcurrencyConflict) || decision === maxDecisions) {
        throw error;
      }
    }
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
