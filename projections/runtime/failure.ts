import { isDomainError } from "#contracts/errors";
import type { Position } from "#contracts/position";
import postgres from "postgres";

/** The commit at which a shard has halted. */
export interface StoppingCommit {
  readonly position: Position;
  /** `type/id`; null for a message that is no commit. */
  readonly aggregate: string | null;
  readonly eventTypes: readonly string[];
}

/** The projection of a shard ends here: `cause` is lasting, and it is this commit's. */
export class CommitNotProjected extends Error {
  override readonly name = "CommitNotProjected";
  readonly commit: StoppingCommit;

  constructor(commit: StoppingCommit, cause: unknown) {
    super(`The commit ${commit.position} cannot be projected.`, { cause });
    this.commit = commit;
  }
}

/** Classes of SQLSTATE that say something about the batch or the schema, and so say it again next time. */
const lastingClasses = [
  "0A", // feature not supported
  "21", // cardinality violation
  "22", // data exception
  "23", // integrity constraint violation
  "42", // syntax error, missing table, missing right
  "54", // program limit exceeded
];

/**
 * Whether trying again cannot help: the log holds something that this program cannot read, the database
 * refuses the batch for what it is, or a projection is wrong. A database or log that is away comes back.
 */
export const isLasting = (error: unknown): boolean => {
  if (error instanceof postgres.PostgresError)
    return lastingClasses.includes(error.code.slice(0, 2));
  if (error instanceof CommitNotProjected) return true;
  if (isDomainError(error)) return error.code !== "log_unavailable";
  return (
    error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
  );
};
