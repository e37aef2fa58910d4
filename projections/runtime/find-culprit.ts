/** Finds out which commit cannot be projected. */
import { lastSequence, openCommitFeed } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import { formatPosition } from "#event-store/position";
import { CommitNotProjected, isLasting, type StoppingCommit } from "./failure.ts";
import { followLog, type FollowOptions } from "./follow-log.ts";

/** By how much the batches shrink, each time that one of them fails. */
const narrowing = 16;

/**
 * Projects the next `maxBatch` commits in ever smaller batches, so that everything before the one that
 * cannot be projected is there, and that one has a name. Comes back when none was at fault.
 *
 * @throws CommitNotProjected; what else ends a batch: ProjectedElsewhere, what comes back later
 */
export const findCulprit = async (
  store: EventStore,
  options: Omit<FollowOptions, "until">,
): Promise<void> => {
  const { shard } = options.target;
  let { from, maxBatch } = options;
  let until = Math.min(await lastSequence(store, shard), from + maxBatch);
  const projected = (checkpoint: number): void => {
    from = checkpoint;
    options.projected(checkpoint);
  };
  while (from < until && !options.signal.aborted) {
    try {
      await followLog(store, { ...options, from, until, maxBatch, projected });
    } catch (error) {
      if (!isLasting(error)) throw error;
      if (maxBatch === 1) {
        throw new CommitNotProjected(await describe(store, shard, from + 1), error);
      }
      until = Math.min(until, from + maxBatch);
      maxBatch = Math.ceil(maxBatch / narrowing);
    }
  }
};

/** What can be said of a commit that may not even be readable. */
const describe = async (
  store: EventStore,
  shard: number,
  sequence: number,
): Promise<StoppingCommit> => {
  const position = formatPosition(shard, sequence);
  const reading = new AbortController();
  const feed = openCommitFeed(store, {
    shard,
    after: sequence - 1,
    signal: reading.signal,
    maxBatch: 1,
  });
  try {
    for await (const [found] of feed) {
      if (found === undefined) break;
      const { ref, commit } = found;
      const eventTypes = commit.events.map(({ type }) => type);
      return { position, aggregate: `${ref.aggregate}/${ref.id}`, eventTypes };
    }
  } catch (error) {
    if (!isLasting(error)) throw error;
    // it cannot be read: that is why it was not projected
  } finally {
    reading.abort();
  }
  return { position, aggregate: null, eventTypes: [] };
};
