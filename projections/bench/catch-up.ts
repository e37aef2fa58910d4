import { performance } from "node:perf_hooks";
import { formatPosition, parsePosition } from "#event-store/position";
import type { Position } from "#contracts/position";
import type { EventStore } from "#event-store/event-store";
import type { Sql } from "postgres";
import type { Projection } from "../runtime/projection.ts";
import { startProjector } from "../runtime/projector.ts";
import { openProgress, type Progress } from "../wait-for-position.ts";
import { complaints } from "./bench-stack.ts";

export interface CatchUp {
  readonly store: EventStore;
  /** Opens an empty schema. */
  readonly openSql: () => Sql;
  readonly projections: readonly Projection[];
  /** The end of the log, which has one shard. */
  readonly commits: number;
}

/** How long a projector takes, in milliseconds, from its start to the end of the log. */
export const catchUpMs = async ({
  store,
  openSql,
  projections,
  commits,
}: CatchUp): Promise<number> => {
  const sql = openSql();
  try {
    const started = performance.now();
    await using _projector = await startProjector({
      store,
      openSql,
      projections,
      log: complaints,
    });
    await using progress = await openProgress(sql);
    await visible(progress, formatPosition(0, commits));
    return performance.now() - started;
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** Waits for as long as it takes, though not for ever, until all read models have come to a position. */
export const visible = async ({ waitForPosition }: Progress, position: Position): Promise<void> => {
  const stands = await waitForPosition(position, { timeoutMs: 600_000 });
  if (parsePosition(stands).sequence < parsePosition(position).sequence)
    throw new Error(`The read models have only come to ${stands}.`);
};
