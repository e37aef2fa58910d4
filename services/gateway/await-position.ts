import { DomainError } from "#contracts/errors";
import type { Position } from "#contracts/position";
import { parsePosition } from "#event-store/position";
import { shardOf } from "#event-store/sharding";
import type { AwaitPosition } from "./register-route.ts";

/**
 * Waits for positions of the organisation's own shard. A position of another shard cannot be that of its
 * own write, and waiting for it would tell how busy other organisations are.
 *
 * @param waitForPosition see `projections/wait-for-position.ts`
 */
export const createAwaitPosition =
  (shards: number, waitForPosition: (position: Position) => Promise<Position>): AwaitPosition =>
  async (position, organization) => {
    if (parsePosition(position).shard !== shardOf(organization, shards)) {
      throw new DomainError(
        "position_invalid",
        "This is not a position of your organisation's log.",
      );
    }
    return waitForPosition(position);
  };
