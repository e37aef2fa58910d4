import { DomainError } from "#contracts/errors";
import type { RecordedCommit } from "#event-store/recorded";
import type { Queryable } from "../database.ts";
import { modelsOf } from "./checkpoint.ts";
import { commitWrites } from "./commit-writes.ts";
import { type ProjectedCommit, readCommit } from "./projected-commit.ts";
import type { Projection } from "./projection.ts";
import type { TableWrite } from "./table.ts";

/** What a batch is projected with. */
export interface BatchTarget {
  /** A pool of one connection, so that what is asked first is also done first. */
  readonly sql: Queryable;
  readonly projections: readonly Projection[];
  readonly shard: number;
  /** See `OpenCheckpoint`. */
  readonly generation: number;
}

/** Somebody else has moved the checkpoint: this batch was projected by them, or will be. */
export class ProjectedElsewhere extends Error {
  override readonly name = "ProjectedElsewhere";
}

/** A batch whose rows are known and wait to be written. */
export interface PlannedBatch {
  readonly from: number;
  readonly to: number;
  readonly writes: readonly TableWrite[];
}

/**
 * Asks the read models which rows the commits that follow the checkpoint `from` change. What they read for
 * it cannot change before it is written without the checkpoint moving as well, and then nothing is written.
 */
export const planBatch = async (
  { sql, projections }: BatchTarget,
  from: number,
  commits: readonly ProjectedCommit[],
): Promise<PlannedBatch> => {
  const writes = await Promise.all(projections.map(({ project }) => project(commits, sql)));
  return { from, to: from + commits.length, writes: writes.flat() };
};

/**
 * Writes the rows and moves the checkpoint behind the batch, atomically.
 *
 * @throws ProjectedElsewhere; what Postgres throws
 */
export const writeBatch = async (
  { sql, projections, shard, generation }: BatchTarget,
  { from, to, writes }: PlannedBatch,
): Promise<void> => {
  const move = { shard, models: modelsOf(projections), generation, from, to };
  if (!(await commitWrites(sql, move, writes))) throw new ProjectedElsewhere();
};

export interface ReadBatch {
  /** The commits up to the first one that is not the next or cannot be read. */
  readonly commits: readonly ProjectedCommit[];
  /** What is wrong with that: `log_gap`, `event_unknown`, `event_invalid`. */
  readonly problem: Error | null;
}

/** Parses the commits that should follow the sequence `after`. */
export const readBatch = (recorded: readonly RecordedCommit[], after: number): ReadBatch => {
  const commits: ProjectedCommit[] = [];
  for (const [index, next] of recorded.entries()) {
    const expected = after + index + 1;
    try {
      if (next.sequence !== expected) {
        throw new DomainError("log_gap", "The log does not continue where the read models stand.", {
          fields: { expected, found: next.sequence },
        });
      }
      commits.push(readCommit(next));
    } catch (error) {
      return { commits, problem: error instanceof Error ? error : new Error(String(error)) };
    }
  }
  return { commits, problem: null };
};
