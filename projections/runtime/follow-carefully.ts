import type { EventStore } from "#event-store/event-store";
import { isLasting } from "./failure.ts";
import { followLog, type FollowOptions } from "./follow-log.ts";
import { projectOneByOne } from "./project-one-by-one.ts";

/**
 * {@link followLog}, and where a batch cannot be projected, its commits one by one, so that the one at
 * fault is named and everything before it is there. Comes back when none was at fault.
 *
 * @throws CommitNotProjected, and what `followLog` throws
 */
export const followCarefully = async (store: EventStore, options: FollowOptions): Promise<void> => {
  let from = options.from;
  const projected = (checkpoint: number): void => {
    from = checkpoint;
    options.projected(checkpoint);
  };
  try {
    await followLog(store, { ...options, projected });
  } catch (error) {
    if (!isLasting(error)) throw error;
    const count = options.maxBatch;
    if ((await projectOneByOne(store, { ...options, projected, from, count })) === 0) throw error;
  }
};
