import type { EventStore } from "#event-store/event-store";
import { lastSequence } from "#event-store/commit-feed";
import { formatPosition } from "#event-store/position";
import { shardOf } from "#event-store/sharding";
import type { Queryable } from "#projections/database";
import { listInvocations } from "#projections/invocations/queries";
import type { Progress } from "#projections/wait-for-position";
import { maxPendingPerSession, type SessionKey } from "./pending-limit.ts";

export interface PendingCountDeps {
  readonly store: EventStore;
  readonly sql: Queryable;
  readonly progress: Pick<Progress, "waitForPosition">;
}

const pageSize = 100;
/** Longer than a query waits: an outdated count would let an agent past its limit. */
const catchUpMs = 10_000;

/**
 * How many of a session's invocations wait for a person: counted in the read model, after it has caught
 * up with everything that stood in the log when this was called. More than the limit are not counted on.
 */
export const countPending =
  ({ store, sql, progress }: PendingCountDeps) =>
  async ({ organization, sessionId }: SessionKey): Promise<number> => {
    const shard = shardOf(organization, store.shards);
    await progress.waitForPosition(formatPosition(shard, await lastSequence(store, shard)), {
      models: ["invocations"],
      timeoutMs: catchUpMs,
    });
    let pending = 0;
    let cursor: string | undefined;
    do {
      // Those of the whole organisation, which are few: each waits for minutes at most, or for a day.
      const page = await listInvocations(sql, {
        organization,
        status: "pending",
        limit: pageSize,
        cursor,
      });
      pending += page.invocations.filter((invocation) => invocation.sessionId === sessionId).length;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && pending < maxPendingPerSession);
    return pending;
  };
