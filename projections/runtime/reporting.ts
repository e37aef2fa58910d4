/** Telling other processes how the read models are doing. */
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import type { Lane } from "./lane.ts";
import { storable } from "./storable-text.ts";

/** How often a projector says that it is there, in milliseconds, when nothing changes. */
export const reportMs = 10_000;

export interface Reporting {
  /** Says it now. */
  changed(): void;
  /** After the signal: says how it has ended, so that a halt is known when nobody works on it any more. */
  finish(): Promise<void>;
}

export interface ReportingOptions {
  /** Opens a pool of one connection, which lives for one report. */
  readonly openSql: () => Sql;
  readonly lanes: () => readonly Lane[];
  readonly signal: AbortSignal;
}

/** Writes how the lanes of this process are doing, when that changes and now and then. */
export const startReporting = ({ openSql, lanes, signal }: ReportingOptions): Reporting => {
  let pause = new AbortController();
  const report = async (): Promise<void> => {
    const sql = openSql();
    try {
      await writeReports(sql, lanes());
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
  const ended = loop();
  return {
    changed: () => {
      pause.abort();
    },
    finish: async () => {
      await ended;
      await report();
    },
  };
};

/** Only the program whose version of a read model stands in the schema may speak for it. */
const writeReports = async (sql: Sql, lanes: readonly Lane[]): Promise<void> => {
  const reports = lanes
    .filter(({ state, claim }) => state !== "standby" && claim === "own")
    .map(({ projection: { name, version }, shard, state, problem, checkpoint }) => {
      return { model: name, version, shard, state, problem, checkpoint };
    });
  await sql`
    insert into projection_reports (model, shard, state, problem, checkpoint, reported_at)
    select r.model, r.shard, r.state, nullif(r.problem, 'null'), r.checkpoint, now()
    from jsonb_to_recordset(${JSON.stringify(storable(reports))}::text::jsonb)
      as r(model text, version integer, shard integer, state text, problem jsonb, checkpoint bigint)
    join projection_models m on m.name = r.model and m.version = r.version
    order by r.model, r.shard
    on conflict (model, shard) do update set
      state = excluded.state, problem = excluded.problem,
      checkpoint = excluded.checkpoint, reported_at = excluded.reported_at`;
};
