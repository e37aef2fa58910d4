/** How the projection of a shard is doing, and telling other processes of it. */
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { CommitNotProjected, type StoppingCommit } from "./failure.ts";
import { storable } from "./storable-text.ts";

/**
 * What a shard's loop does. `standby`: another process projects the shard. `retrying`: the log or the
 * database is away. `halted`: the shard holds something that cannot be projected, or was taken over by
 * another version; it is tried again now and then, and goes on when that has changed. `rebuilding`: new
 * tables are being built, and the old ones are somebody else's to keep up.
 */
export type ShardState =
  "rebuilding" | "projecting" | "standby" | "retrying" | "halted" | "stopped";

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly commit: StoppingCommit | null;
}

export interface Condition {
  state: ShardState;
  /** Why the shard is retrying or halted. */
  problem: Problem | null;
  /** The newest sequence that this process knows to be projected. */
  checkpoint: number;
}

/** What is told of an error. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof CommitNotProjected) {
    return { ...problemOf(error.cause), commit: error.commit };
  }
  if (!(error instanceof Error)) return { code: "unknown", message: String(error), commit: null };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, message: error.message, commit: null };
};

/** How often a projector says that it is there, in milliseconds, when nothing changes. */
export const reportMs = 10_000;

export interface Reporting {
  /** Says it now. */
  changed(): void;
  /** Resolves after the signal, when nothing is written any more. */
  readonly ended: Promise<void>;
}

export interface ReportingOptions {
  /** Opens a pool of one connection, which lives for one report. */
  readonly openSql: () => Sql;
  /** Only the program whose read models stand in the schema may speak for them. */
  readonly models: string;
  /** By shard. */
  readonly conditions: readonly Condition[];
  readonly signal: AbortSignal;
}

/** Writes the conditions of the shards that this process works on, when they change and now and then. */
export const startReporting = ({
  openSql,
  models,
  conditions,
  signal,
}: ReportingOptions): Reporting => {
  let pause = new AbortController();
  const report = async (): Promise<void> => {
    const sql = openSql();
    try {
      await writeConditions(sql, models, conditions);
    } catch {
      // the database is away: whoever looks finds an old report, and the next one is due soon
    } finally {
      await sql.end({ timeout: 0 });
    }
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      pause = new AbortController();
      const waiting = AbortSignal.any([signal, pause.signal]);
      await report();
      // a signal that comes meanwhile ends the pause, or the loop by its condition
      await delay(reportMs, undefined, { signal: waiting }).catch(() => undefined);
    }
  };
  return {
    changed: () => {
      pause.abort();
    },
    ended: loop(),
  };
};

const writeConditions = async (
  sql: Sql,
  models: string,
  conditions: readonly Condition[],
): Promise<void> => {
  const reports = conditions
    .map((condition, shard) => ({ shard, ...condition }))
    .filter(({ state }) => state !== "standby" && state !== "rebuilding");
  await sql`
    insert into projection_conditions (shard, state, problem, checkpoint, reported_at)
    select r.shard, r.state, nullif(r.problem, 'null'), r.checkpoint, now()
    from jsonb_to_recordset(${JSON.stringify(storable(reports))}::text::jsonb)
      as r(shard integer, state text, problem jsonb, checkpoint bigint)
    join projection_checkpoints c on c.shard = r.shard and c.models = ${models}
    order by r.shard
    on conflict (shard) do update set
      state = excluded.state, problem = excluded.problem,
      checkpoint = excluded.checkpoint, reported_at = excluded.reported_at`;
};
