/** What happened, in order, narrowed down to what is asked for, and for ever on if wanted. */
import type { Actor } from "#contracts/actor";
import { lastSequence } from "../reading/commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import { inOrderOfArrival, inOrderOfTime } from "./merge.ts";
import { type LogScope, shardsOf } from "./scope.ts";
import { readStoredCommits, type StoredCommit } from "./stored-commits.ts";

export interface HistoryQuery extends LogScope {
  /** `usr_…`, `user`, or `user:usr_…`. */
  readonly actor?: string | undefined;
  /** Commits with an event of one of these types. */
  readonly types?: readonly string[] | undefined;
  /** The first instant of storage that counts. */
  readonly since?: Date | undefined;
  /** The first instant of storage that no longer counts. */
  readonly until?: Date | undefined;
  /** Only the newest so many of what there is at the start. */
  readonly limit?: number | undefined;
  /** Goes on with what comes until it is aborted. */
  readonly follow?: AbortSignal | undefined;
}

/**
 * The commits that a query asks for: in order of position within a shard, and by the time of their
 * storage across shards; what is followed comes in the order of its arrival.
 *
 * @throws DomainError `event_invalid`, `log_unavailable`
 */
export async function* readHistory(
  store: EventStore,
  query: HistoryQuery,
): AsyncGenerator<StoredCommit> {
  const { since, limit, follow } = query;
  const shards = shardsOf(query, store.shards);
  const ends = await Promise.all(
    shards.map(async (shard) => ({ shard, end: await lastSequence(store, shard) })),
  );
  const past = matching(
    query,
    inOrderOfTime(
      ends.map(({ shard, end }) =>
        readStoredCommits(store, { shard, scope: query, since, until: end }),
      ),
    ),
  );
  yield* limit === undefined ? past : newest(limit, past);
  if (follow === undefined) return;
  yield* matching(
    query,
    inOrderOfArrival(
      ends.map(({ shard, end }) =>
        readStoredCommits(store, { shard, scope: query, after: end, until: follow }),
      ),
    ),
  );
}

async function* matching(
  { actor, types, since, until }: HistoryQuery,
  commits: AsyncIterable<StoredCommit>,
): AsyncGenerator<StoredCommit> {
  for await (const stored of commits) {
    const { events, meta } = stored.commit;
    if (
      (actor === undefined || isBy(meta.actor, actor)) &&
      (types === undefined || events.some(({ type }) => types.includes(type))) &&
      (since === undefined || stored.storedAt >= since) &&
      (until === undefined || stored.storedAt < until)
    ) {
      yield stored;
    }
  }
}

const isBy = ({ kind, id }: Actor, wanted: string): boolean =>
  [id, kind, `${kind}:${id}`].includes(wanted);

async function* newest<T>(limit: number, items: AsyncIterable<T>): AsyncGenerator<T> {
  let kept: T[] = [];
  for await (const item of items) {
    kept.push(item);
    // Cut off now and then, rather than moved along for every item.
    if (kept.length >= 2 * limit + 1_000) kept = kept.slice(-limit);
  }
  yield* limit === 0 ? [] : kept.slice(-limit);
}
