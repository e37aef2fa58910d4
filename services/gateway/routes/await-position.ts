import { DomainError } from "#contracts/errors";
import { parsePosition } from "#event-store/position";
import { shardOf } from "#event-store/sharding";
import type { Progress } from "#projections/wait-for-position";
import type { AwaitPosition } from "./register-route.ts";

/**
 * Waits for positions of the organisation's own shard. A position of another shard cannot be that of its
 * own write, and waiting for it would tell how busy other organisations are.
 */
export const createAwaitPosition =
  (shards: number, { waitForPosition }: Pick<Progress, "waitForPosition">): AwaitPosition =>
  async (position, organization, models) => {
    if (parsePosition(position).shard !== shardOf(organization, shards)) {
      throw new DomainError(
        "position_invalid",
        "This is not a position of your organisation's log.",
      );
    }
    return waitForPosition(position, { models });
  };
