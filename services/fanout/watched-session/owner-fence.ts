import type { LiveEntry } from "#event-store/live/live-channel";

/**
 * Keeps out what former owners of a session say once it has a new one. An owner that was held up for longer than
 * its lease goes on where it stood until it learns of that: the log refuses it, the live channel does not. What
 * others say than owners is let through.
 *
 * What was said before the new owner's first word counts, so that all who follow the channel let the same through.
 * When it begins to answer, it says `starting`, and what clients hold of an unfinished answer is forgotten.
 */
export class OwnerFence {
  #newest = 0;

  /** The session has had this owner since before whatever comes next was said. */
  raise(epoch: number): void {
    this.#newest = Math.max(this.#newest, epoch);
  }

  /** Whether a message counts. To be asked about each, in the order of the channel. */
  admits({ ownerEpoch }: Pick<LiveEntry, "ownerEpoch">): boolean {
    if (ownerEpoch === null) return true;
    if (ownerEpoch < this.#newest) return false;
    this.#newest = ownerEpoch;
    return true;
  }
}
