/** What led to a commit, and what it led to. */
import { DomainError } from "#contracts/errors";
import { lastSequence } from "../reading/commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import { parsePosition } from "../position.ts";
import { type LogScope, shardsOf } from "./scope.ts";
import { readStoredCommits, type StoredCommit } from "./stored-commits.ts";

export interface Effect {
  readonly stored: StoredCommit;
  /** What this commit led to, in the order of the log. */
  readonly effects: readonly Effect[];
}

export interface Causality extends Effect {
  /** What led to the commit, the first cause first. */
  readonly causes: readonly StoredCommit[];
}

/**
 * The commits that go by this name: one by its position or by the id of one of its events, those of a
 * command by the command's id (a command may change several aggregates).
 *
 * @throws DomainError `not_found`, `position_invalid`, `log_unavailable`
 */
export const findCommits = async (
  store: EventStore,
  name: string,
  scope: LogScope = {},
): Promise<readonly StoredCommit[]> => {
  const found = name.includes(":")
    ? await commitAt(store, name)
    : await search(store, name, shardsOf(scope, store.shards), scope);
  if (found.length === 0) {
    throw new DomainError("not_found", `The log has no commit, event or command "${name}".`);
  }
  return found;
};

const commitAt = async (store: EventStore, name: string): Promise<readonly StoredCommit[]> => {
  const { shard, sequence } = parsePosition(name);
  if (shard >= store.shards || sequence > (await lastSequence(store, shard))) return [];
  return gather(readStoredCommits(store, { shard, after: sequence - 1, until: sequence }));
};

const search = async (
  store: EventStore,
  id: string,
  shards: readonly number[],
  scope: LogScope,
): Promise<readonly StoredCommit[]> => {
  const found: StoredCommit[] = [];
  for (const shard of shards) {
    const until = await lastSequence(store, shard);
    for await (const stored of readStoredCommits(store, { shard, scope, until })) {
      const { events, meta } = stored.commit;
      // An event stands in one commit only; a command may have more.
      if (events.some((event) => event.id === id)) return [stored];
      if (meta.commandId === id) found.push(stored);
    }
  }
  return found;
};

/**
 * Links a commit to its causes and effects, all of which are of its organisation. Reads the
 * organisation's commits after it once, and those before it once for each cause.
 */
export const traceCauses = async (store: EventStore, stored: StoredCommit): Promise<Causality> => {
  const causes: StoredCommit[] = [];
  for (let effect = stored; ;) {
    const cause = await causeOf(store, effect);
    if (cause === null) break;
    causes.unshift(cause);
    effect = cause;
  }
  return { causes, ...(await effectsOf(store, stored)) };
};

/** A cause stands before its effect, since it was known when the effect was decided. */
const causeOf = async (
  store: EventStore,
  { ref, shard, sequence, commit }: StoredCommit,
): Promise<StoredCommit | null> => {
  const { causationId } = commit.meta;
  if (causationId === null) return null;
  const before = { shard, scope: { organization: ref.organization }, until: sequence - 1 };
  for await (const earlier of readStoredCommits(store, before)) {
    if (namesOf(earlier).includes(causationId)) return earlier;
  }
  return null;
};

const effectsOf = async (store: EventStore, first: StoredCommit): Promise<Effect> => {
  interface Growing extends Effect {
    readonly effects: Growing[];
  }
  const root: Growing = { stored: first, effects: [] };
  const byName = new Map(namesOf(first).map((name) => [name, root]));
  const { shard, sequence, ref } = first;
  for await (const stored of readStoredCommits(store, {
    shard,
    scope: { organization: ref.organization },
    after: sequence,
    until: await lastSequence(store, shard),
  })) {
    const cause = byName.get(stored.commit.meta.causationId ?? "");
    if (cause === undefined) continue;
    const effect: Growing = { stored, effects: [] };
    cause.effects.push(effect);
    for (const name of namesOf(stored)) {
      if (!byName.has(name)) byName.set(name, effect);
    }
  }
  return root;
};

/** The ids by which later commits name this one as their cause: its command, events, and prompts. */
const namesOf = ({ commit }: StoredCommit): readonly string[] => [
  commit.meta.commandId,
  ...commit.events.map(({ id }) => id),
  ...commit.events.flatMap(({ type, data }) =>
    type === "PromptQueued" && typeof data["promptId"] === "string" ? [data["promptId"]] : [],
  ),
];

const gather = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const gathered: T[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
};
