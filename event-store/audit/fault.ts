import type { AggregateRef } from "#contracts/commit";
import type { Position } from "#contracts/position";

/**
 * What can be wrong with a log:
 *
 * - `changed`: a commit has other content than its successor, or the witness, says
 * - `removed`: a commit that its successor or the witness knows is not there
 * - `changed_or_removed`: a commit follows one that is not there, and nobody knows whether that one
 *   was changed or removed
 * - `reordered`: a commit stands before the one that it follows
 * - `repeated`: a commit stands in the log a second time
 * - `forked`: a commit follows one that another commit follows already
 * - `added`: a commit that the witness should know and does not
 * - `gap`: sequences of a stream that hold no message
 * - `unreadable`: a message that is no commit
 * - `misplaced`: a commit in another shard than its organisation's
 */
export type FaultKind =
  | "changed"
  | "removed"
  | "changed_or_removed"
  | "reordered"
  | "repeated"
  | "forked"
  | "added"
  | "gap"
  | "unreadable"
  | "misplaced";

export interface LogFault {
  readonly kind: FaultKind;
  /**
   * The commit that is at fault. One that was removed has the position that it had; the commit after
   * it has the fault if that is not known, and so it is for `changed_or_removed`.
   */
  readonly position: Position;
  readonly aggregate: AggregateRef | null;
  /** The hash that should be there: of the commit, or for faults of order, of its predecessor. */
  readonly expected: string | null;
  /** The hash that is there in its place, or that the commit names; null if nothing is there. */
  readonly named: string | null;
  /** One sentence for people. */
  readonly explanation: string;
}
