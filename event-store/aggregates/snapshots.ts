/**
 * Snapshots shorten the fold and mean nothing else: any that is missing, old, unreadable or of
 * another history is passed over, and nothing is lost when the bucket is emptied.
 */
import { z } from "zod";
import type { AggregateRef } from "#contracts/commit";
import type { EventStore } from "../event-store.ts";
import { type Folding, type Material, rememberedCommands } from "./fold.ts";
import type { AggregateDefinition } from "./load.ts";
import { textOwnerOf } from "./text-owner.ts";
import { isTransient } from "../publish-outcome.ts";
import { openState, sealedStateSchema, sealState } from "../sealing/seal-state.ts";
import { subjectOf } from "../sharding.ts";
import { rememberSnapshotEnd } from "./snapshot-ends.ts";

/** A snapshot is written when this many commits had to be folded after the last one. */
export const commitsBetweenSnapshots = 100;

const snapshotSchema = z.object({
  version: z.int(),
  sequence: z.int().positive(),
  hash: z.string(),
  /** In the open only where text is not sealed. */
  state: z.unknown().optional(),
  sealed: sealedStateSchema.optional(),
  /** Two lists of one length, which are read faster than a list of pairs. */
  commandIds: z.array(z.string()),
  commandSequences: z.array(z.int()),
});

/** The snapshot of an aggregate, or null when there is none that this definition can use. */
export const readSnapshot = async <Command, Event, State>(
  store: EventStore,
  { snapshotVersion }: AggregateDefinition<Command, Event, State>,
  ref: AggregateRef,
): Promise<(Folding<State> & Material) | null> => {
  if (snapshotVersion === undefined) {
    return null;
  }
  const stored = await readStored(store, ref);
  const snapshot = snapshotSchema.safeParse(stored?.json);
  if (!stored || !snapshot.success || snapshot.data.version !== snapshotVersion) {
    return null;
  }
  const { sequence, hash, commandIds, commandSequences } = snapshot.data;
  const state = await stateOf(store, ref, snapshot.data);
  if (state === null) {
    return null;
  }
  const commands = new Map<string, number>();
  commandIds.forEach((id, index) => commands.set(id, commandSequences[index] ?? 0));
  const { sealed } = snapshot.data;
  const textOwners = new Set(sealed && [sealed.owner]);
  return { state: state as State, sequence, hash, commands, bytes: stored.bytes, textOwners };
};

/** The state in a snapshot; null for one that cannot be opened, for instance because its text was erased. */
const stateOf = async (
  store: EventStore,
  ref: AggregateRef,
  { state, sealed }: z.infer<typeof snapshotSchema>,
): Promise<unknown> => {
  if (!sealed) {
    return state ?? null;
  }
  try {
    const subject = subjectOf(ref, store.shards);
    return (
      store.dataKeys &&
      (await openState(store.dataKeys, { subject, organization: ref.organization }, sealed))
    );
  } catch {
    // Damaged, or the keys cannot be read: whether that matters shows when the log is read instead.
    return null;
  }
};

/** What is stored; null when that is nothing, or no JSON. */
const readStored = async (
  store: EventStore,
  ref: AggregateRef,
): Promise<{ readonly json: unknown; readonly bytes: number } | null> => {
  try {
    const entry = await store.snapshots.get(subjectOf(ref, store.shards));
    return entry?.operation === "PUT" ? { json: entry.json(), bytes: entry.length } : null;
  } catch (error) {
    // Without it there is only more to fold; whether the log answers is found out by reading it.
    if (error instanceof SyntaxError || isTransient(error)) {
      return null;
    }
    throw error;
  }
};

/**
 * Keeps a snapshot. A later one may be overwritten by an earlier one: it is only longer to fold.
 * That it could not be kept is no error: the command that led here is in the log all the same.
 */
export const writeSnapshot = async <Command, Event, State>(
  store: EventStore,
  definition: AggregateDefinition<Command, Event, State>,
  { ref, folding }: { readonly ref: AggregateRef; readonly folding: Folding<State> },
): Promise<void> => {
  if (definition.snapshotVersion === undefined) {
    return;
  }
  const { state, sequence, hash } = folding;
  const subject = subjectOf(ref, store.shards);
  const commands = [...folding.commands].slice(-rememberedCommands);
  const snapshot = {
    version: definition.snapshotVersion,
    sequence,
    hash,
    commandIds: commands.map(([id]) => id),
    commandSequences: commands.map(([, at]) => at),
  };
  try {
    const { organization } = ref;
    const owner = textOwnerOf(definition, ref, state);
    const sealed =
      store.dataKeys && (await sealState(store.dataKeys, { subject, organization, owner }, state));
    if (store.dataKeys && !sealed) {
      return;
    }
    const stored: z.infer<typeof snapshotSchema> = {
      ...snapshot,
      ...(sealed ? { sealed } : { state }),
    };
    await store.snapshots.put(subject, JSON.stringify(stored));
    rememberSnapshotEnd(store, subject, sequence);
  } catch {
    // No answer, no keys, or a state that is too large for a message: the next load has more to fold.
  }
};

/** Removes the snapshot of an aggregate, whatever it is. */
export const deleteSnapshot = async (store: EventStore, ref: AggregateRef): Promise<void> => {
  await store.snapshots.purge(subjectOf(ref, store.shards));
};
