/**
 * Snapshots shorten the fold and mean nothing else: any that is missing, old, unreadable or of
 * another history is passed over, and nothing is lost when the bucket is emptied.
 */
import { z } from "zod";
import type { AggregateRef } from "#contracts/commit";
import type { EventStore } from "./event-store.ts";
import type { AggregateDefinition, Folding } from "./load.ts";
import { subjectOf } from "./sharding.ts";

/** A snapshot is written when this many commits had to be folded after the last one. */
export const commitsBetweenSnapshots = 100;

const snapshotSchema = z.object({
  version: z.int(),
  sequence: z.int().positive(),
  hash: z.string(),
  state: z.unknown(),
  commands: z.array(z.tuple([z.string(), z.int()])),
});

const keyOf = (ref: AggregateRef, shards: number): string => subjectOf(ref, shards);

/** The snapshot of an aggregate, or null when there is none that this definition can use. */
export const readSnapshot = async <Command, Event, State>(
  store: EventStore,
  { snapshotVersion }: AggregateDefinition<Command, Event, State>,
  ref: AggregateRef,
): Promise<Folding<State> | null> => {
  if (snapshotVersion === undefined) {
    return null;
  }
  const entry = await store.snapshots.get(keyOf(ref, store.shards));
  if (!entry || entry.operation !== "PUT") {
    return null;
  }
  const snapshot = snapshotSchema.safeParse(entry.json());
  if (!snapshot.success || snapshot.data.version !== snapshotVersion) {
    return null;
  }
  const { state, sequence, hash, commands } = snapshot.data;
  return { state: state as State, sequence, hash, commands: new Map(commands) };
};

/** Keeps a snapshot. A later one may be overwritten by an earlier one: it is only longer to fold. */
export const writeSnapshot = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  { ref, folding }: { readonly ref: AggregateRef; readonly folding: Folding<State> },
): Promise<void> => {
  if (definition.snapshotVersion === undefined) {
    return;
  }
  const { state, sequence, hash, commands } = folding;
  await store.snapshots.put(
    keyOf(ref, store.shards),
    JSON.stringify({
      version: definition.snapshotVersion,
      sequence,
      hash,
      state,
      commands: [...commands],
    }),
  );
};
