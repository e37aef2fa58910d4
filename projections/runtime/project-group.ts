import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { Sql } from "postgres";
import { isLasting } from "./failure.ts";
import { findCulprit } from "./find-culprit.ts";
import { followLog } from "./follow-log.ts";
import { advanceLane, type Lane, type LaneGroup, restLane } from "./lane.ts";
import { type BatchTarget, ProjectedElsewhere } from "./project-batch.ts";

export interface ProjectingOptions {
  readonly store: EventStore;
  /** Opens a pool of one connection to the schema that is projected into. */
  readonly openSql: () => Sql;
  readonly log: Log;
  /** How many commits one transaction takes at most. */
  readonly maxBatch: number;
  /** How long a halted lane rests before it is tried again, in milliseconds. */
  readonly retryHaltedMs: number;
  /** Ends all work. */
  readonly signal: AbortSignal;
  /** Told when there is news for other processes. */
  readonly changed: () => void;
}

export interface GroupRun {
  /** Ends this run, after the batch under way. */
  readonly signal: AbortSignal;
  readonly until?: number;
  readonly projected?: (checkpoint: number) => void;
}

/**
 * Projects a shard into several read models that stand at the same place, in one statement a batch, until
 * the signal or `until`. Never throws: when it comes back, each lane says what it stands at. Where a batch
 * cannot be projected, each read model is tried alone, so that only the one that cannot go on halts.
 */
export const projectGroup = async (
  options: ProjectingOptions,
  group: LaneGroup,
  { signal, until, projected }: GroupRun,
): Promise<void> => {
  const { store, maxBatch } = options;
  const sql = options.openSql();
  try {
    await followLog(store, {
      target: targetOf(sql, group),
      from: group[0].checkpoint,
      maxBatch,
      signal,
      ...(until === undefined ? {} : { until }),
      projected: (checkpoint) => {
        advance(options, group, checkpoint);
        projected?.(checkpoint);
      },
    });
  } catch (error) {
    if (error instanceof ProjectedElsewhere || !isLasting(error)) settle(options, group, error);
    else await projectEachAlone(options, { sql, group, error });
  } finally {
    // nothing that counts is under way by then, and a lost connection would be waited for until the timeout
    await sql.end({ timeout: 0 });
  }
};

const targetOf = (sql: Sql, group: readonly [Lane, ...Lane[]]): BatchTarget => ({
  sql,
  shard: group[0].shard,
  models: group,
});

const advance = (
  { changed }: ProjectingOptions,
  group: readonly Lane[],
  checkpoint: number,
): void => {
  const news = group.map((lane) => advanceLane(lane, checkpoint));
  if (news.includes(true)) changed();
};

/** Notes for each lane what ended its work. */
export const settle = (
  { log, retryHaltedMs, signal, changed }: ProjectingOptions,
  lanes: readonly Lane[],
  error: unknown,
): void => {
  if (signal.aborted) return;
  if (error instanceof ProjectedElsewhere) {
    for (const lane of lanes) lane.claim = "contested";
    return;
  }
  const news = lanes.filter((lane) => restLane(lane, error, retryHaltedMs));
  const fields = { shard: lanes[0]?.shard, models: lanes.map((lane) => lane.projection.name) };
  if (!isLasting(error))
    log.warn({ ...fields, err: error }, "projecting has failed; it is tried again");
  else if (news.length > 0)
    log.error({ ...fields, err: error }, "the projection into these read models has halted");
  if (news.length > 0) changed();
};

const projectEachAlone = async (
  options: ProjectingOptions,
  { sql, group, error }: { readonly sql: Sql; readonly group: LaneGroup; readonly error: unknown },
): Promise<void> => {
  const { store, maxBatch, signal } = options;
  let hasCause = false;
  for (const lane of group) {
    const from = lane.checkpoint;
    const projected = (checkpoint: number): void => advance(options, [lane], checkpoint);
    try {
      const target = targetOf(sql, [lane]);
      await findCulprit(store, { target, from, maxBatch, signal, projected });
    } catch (cause) {
      settle(options, [lane], cause);
      hasCause = true;
    }
    if (lane.checkpoint !== from) hasCause = true;
  }
  // no commit was at fault, and trying once more at once would be no different
  if (!hasCause) settle(options, group, error);
};
