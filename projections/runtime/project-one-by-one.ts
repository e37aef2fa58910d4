/** Finds out which commit of a batch cannot be projected. */
import { lastSequence, openCommitFeed } from "#event-store/commit-feed";
import type { EventStore } from "#event-store/event-store";
import { formatPosition } from "#event-store/position";
import type { RecordedCommit } from "#event-store/recorded";
import { CommitNotProjected, isLasting } from "./failure.ts";
import { type BatchTarget, planBatch, readBatch, writeBatch } from "./project-batch.ts";

export interface OneByOneOptions {
  readonly target: BatchTarget;
  /** The checkpoint as it stands in the database. */
  readonly from: number;
  /** How many commits are tried: as many as the batch had that failed. */
  readonly count: number;
  readonly signal: AbortSignal;
  readonly projected: (checkpoint: number) => void;
}

/**
 * Projects the next commits in transactions of their own, so that everything before the one that cannot be
 * projected is there, and that one has a name. Answers how many were projected.
 *
 * @throws CommitNotProjected; what else ends a batch: ProjectedElsewhere, what comes back later
 */
export const projectOneByOne = async (
  store: EventStore,
  { target, from, count, signal, projected }: OneByOneOptions,
): Promise<number> => {
  const { shard } = target;
  const end = Math.min(await lastSequence(store, shard), from + count);
  let checkpoint = from;
  let next: RecordedCommit | undefined;
  if (checkpoint >= end) return 0;
  try {
    for await (const batch of openCommitFeed(store, { shard, after: from, signal, maxBatch: 1 })) {
      next = batch[0];
      const { commits, problem } = readBatch(batch, checkpoint);
      if (problem !== null) throw problem;
      await writeBatch(target, await planBatch(target, checkpoint, commits));
      checkpoint += commits.length;
      next = undefined;
      projected(checkpoint);
      if (checkpoint >= end) break;
    }
  } catch (error) {
    if (!isLasting(error)) throw error;
    const stopping = {
      position: formatPosition(shard, checkpoint + 1),
      aggregate: next === undefined ? null : `${next.ref.aggregate}/${next.ref.id}`,
      eventTypes: next?.commit.events.map(({ type }) => type) ?? [],
    };
    throw new CommitNotProjected(stopping, error);
  }
  return checkpoint - from;
};
