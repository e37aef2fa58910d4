/** How the projection of a shard into a read model is doing. */
import { CommitNotProjected, type StoppingCommit } from "./failure.ts";

/**
 * `standby`: another process projects. `retrying`: the log or the database is away. `halted`: the shard
 * holds something that cannot be projected into this read model, or another version has taken it over; it
 * is tried again now and then, and goes on when that has changed.
 */
export type LaneState = "projecting" | "standby" | "retrying" | "halted" | "stopped";

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly commit: StoppingCommit | null;
}

/** What is told of an error. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof CommitNotProjected) {
    return { ...problemOf(error.cause), commit: error.commit };
  }
  if (!(error instanceof Error)) return { code: "unknown", message: String(error), commit: null };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, message: error.message, commit: null };
};

/** Whether two problems are the same to whoever is told of them. */
export const isSameProblem = (one: Problem | null, other: Problem | null): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
