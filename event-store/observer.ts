import type { AggregateType, StoredEvent } from "#contracts/commit";
import type { LeaseKind } from "./leases/leases.ts";

/**
 * Told by an open log of what happens to it, for whoever counts that. It is called in the middle of the work,
 * so it must be quick, and it must not throw.
 */
export interface StoreObserver {
  /**
   * This process has appended a commit.
   * @param events as they are stored: their text may be sealed
   * @param ms how long it took, with whatever had to be sent again
   */
  appended(events: readonly StoredEvent[], ms: number): void;
  /** An append lost a race; whoever appended decides again, as a rule. */
  conflicted(aggregate: AggregateType): void;
  appendFailed(error: unknown): void;
  /** A worker could not handle a message. It is tried again, or was given up. */
  messageFailed(worker: string): void;
  /** A lease ended that nobody had given back. */
  leaseLost(kind: LeaseKind): void;
}
