import { DomainError } from "#contracts/errors";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { Queryable } from "../database.ts";
import { commitWrites } from "./commit-writes.ts";
import { type ProjectedCommit, readCommit } from "./projected-commit.ts";
import type { Projection } from "./projection.ts";
import type { TableWrite } from "./table.ts";

/** A read model that is written to. */
export interface TargetModel {
  readonly projection: Projection;
  /** See `OpenCheckpoint`. */
  readonly build: string;
}

/** What a batch is projected with. */
export interface BatchTarget {
  /** A pool of one connection, so that what is asked first is also done first. */
  readonly sql: Queryable;
  readonly shard: number;
  /** All of them stand at the same checkpoint, and move together. */
  readonly models: readonly TargetModel[];
}

/** Somebody else has moved a checkpoint: this batch was projected by them, or will be. */
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
  { sql, models }: BatchTarget,
  from: number,
  commits: readonly ProjectedCommit[],
): Promise<PlannedBatch> => {
  // each in a promise of its own: what one throws at once must not leave the others' failures unheard
  const plan = async ({ projection }: TargetModel): Promise<readonly TableWrite[]> =>
    projection.project(commits, sql);
  const writes = await Promise.all(models.map(plan));
  return { from, to: from + commits.length, writes: writes.flat() };
};

/**
 * Writes the rows and moves the checkpoints behind the batch, atomically.
 *
 * @throws ProjectedElsewhere; what Postgres throws
 */
export const writeBatch = async (
  { sql, shard, models }: BatchTarget,
  { from, to, writes }: PlannedBatch,
): Promise<void> => {
  const moving = models.map(({ projection, build }) => ({ model: projection.name, build }));
  if (!(await commitWrites(sql, { shard, models: moving, from, to }, writes)))
    throw new ProjectedElsewhere();
};

export interface ReadBatch {
  /** The commits up to the first one that is not the next or cannot be read. */
  readonly commits: readonly ProjectedCommit[];
  /** What is wrong with that: `log_gap`, `event_unknown`. */
  readonly problem: Error | null;
}

/** Reads the commits that should follow the sequence `after`. */
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
