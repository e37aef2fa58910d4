import { DomainError } from "#contracts/errors";
import { lastSequence, openCommitFeed } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { RecordedCommit } from "#event-store/reading/recorded";
import { inBatchSpan } from "./batch-span.ts";
import {
  type BatchTarget,
  planBatch,
  type PlannedBatch,
  readBatch,
  writeBatch,
} from "./project-batch.ts";

export interface FollowOptions {
  readonly target: BatchTarget;
  /** The checkpoint as it stands in the database. */
  readonly from: number;
  /** The last commit to project, which must be in the log; without, it goes on until the signal. */
  readonly until?: number;
  readonly maxBatch: number;
  readonly signal: AbortSignal;
  /** Told after each batch where the checkpoint stands. */
  readonly projected: (checkpoint: number) => void;
}

/**
 * Projects a shard's commits in order, until the signal. While Postgres writes one batch, the next one is
 * taken from the log, parsed and planned; both take about as long.
 *
 * @throws ProjectedElsewhere; DomainError `log_gap`, `log_unavailable`, `event_unknown`, `event_invalid`;
 * what Postgres throws
 */
export const followLog = async (
  store: EventStore,
  { target, from, until = Infinity, maxBatch, signal, projected }: FollowOptions,
): Promise<void> => {
  if (from >= until) return;
  const { shard } = target;
  if ((await lastSequence(store, shard)) < from) {
    throw new DomainError("log_gap", "The log ends before the place where the read models stand.", {
      fields: { shard, checkpoint: from },
    });
  }
  const failing = new AbortController();
  let failure: { readonly error: unknown } | null = null;
  const write = async (batch: PlannedBatch, recorded: readonly RecordedCommit[]): Promise<void> => {
    try {
      await inBatchSpan(store.tracing, { target, batch, recorded }, () =>
        writeBatch(target, batch),
      );
      projected(batch.to);
    } catch (error) {
      failure = { error };
      failing.abort(); // nothing may come from the feed for a long time
    }
  };

  let writing = Promise.resolve();
  let read = from;
  const ended = AbortSignal.any([signal, failing.signal]);
  const feed = openCommitFeed(store, { shard, after: from, signal: ended, maxBatch });
  try {
    for await (const recorded of feed) {
      const { commits, problem } = readBatch(recorded.slice(0, until - read), read);
      // What is read for the plan comes behind the write under way, on the one connection. If that write
      // failed, the plan counts for nothing, and neither does its failure.
      const planning = planBatch(target, read, commits);
      planning.catch(() => undefined);
      await writing;
      if (ended.aborted) break;
      if (commits.length > 0) writing = write(await planning, recorded);
      read += commits.length;
      if (problem !== null) throw problem;
      if (read >= until) break;
    }
  } finally {
    await writing;
  }
  throwIfFailed(failure);
  if (!signal.aborted && read < until)
    throw new DomainError("log_unavailable", "The feed of the log has ended.");
};

const throwIfFailed = (failure: { readonly error: unknown } | null): void => {
  if (failure !== null) throw failure.error;
};
