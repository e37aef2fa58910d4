/** How far the read models have come, as any process can see it in the database and the log. */
import type { ProjectionStatus } from "#contracts/projections/view";
import { lastSequence } from "#event-store/commit-feed";
import type { EventStore } from "#event-store/event-store";
import postgres from "postgres";
import type { Queryable } from "./database.ts";
import { type Problem, reportMs } from "./runtime/condition.ts";
import { shadowOf } from "./runtime/shadow.ts";

/** A projector that has missed this many of its reports is taken for gone. */
const missedReports = 3;

const undefinedTable = "42P01";

type ShardProgress = ProjectionStatus["shards"][number];

/** A shard's progress with the whole problem: its message may quote what the commit says. */
type ShardReport = Omit<ShardProgress, "problem"> & { readonly problem: Problem | null };

interface ReportRow {
  readonly shard: number;
  readonly checkpoint: string;
  readonly state: "projecting" | "retrying" | "halted" | "stopped" | null;
  readonly problem: Problem | null;
  readonly reported_checkpoint: string | null;
  readonly reported_at: Date | null;
  readonly recent: boolean | null;
}

/** @throws what Postgres or the log throw; the tables of the read models have to be there */
export const readProjectionStatus = async (
  store: EventStore,
  sql: Queryable,
): Promise<Omit<ProjectionStatus, "shards"> & { readonly shards: ShardReport[] }> => {
  const [models, rows, built] = await Promise.all([
    sql<{ name: string; version: number }[]>`
      select name, version from projection_models order by name`,
    sql<ReportRow[]>`
      select c.shard, c.checkpoint, s.state, s.problem,
        s.checkpoint as reported_checkpoint, s.reported_at,
        s.reported_at > now() - ${missedReports * reportMs} * interval '1 millisecond' as recent
      from projection_checkpoints c left join projection_conditions s on s.shard = c.shard`,
    rebuiltCommits(sql),
  ]);
  const shards = Array.from({ length: store.shards }, async (_, shard): Promise<ShardReport> => {
    const row = rows.find((candidate) => candidate.shard === shard);
    const checkpoint = Number(row?.checkpoint ?? 0);
    const end = await lastSequence(store, shard);
    return { shard, ...conditionOf(row), checkpoint, end, lag: Math.max(0, end - checkpoint) };
  });
  const reports = await Promise.all(shards);
  const of = reports.reduce((sum, { end }) => sum + end, 0);
  const rebuild = built === null ? null : { commits: built, of };
  return { models: [...models], shards: reports, rebuild };
};

/** How many commits the tables contain that are being built beside the live ones; null without any. */
const rebuiltCommits = async (sql: Queryable): Promise<number | null> => {
  const [there] = await sql<{ schema: string; building: boolean }[]>`
    select s.schema, to_regclass(s.schema || '_next.projection_checkpoints') is not null as building
    from (select current_schema() as schema) s`;
  if (there?.building !== true) return null;
  try {
    const [row] = await sql<{ commits: string }[]>`
      select coalesce(sum(checkpoint), 0) as commits
      from ${sql(shadowOf(there.schema))}.projection_checkpoints`;
    return Number(row?.commits ?? 0);
  } catch (error) {
    // the swap came in between
    if (error instanceof postgres.PostgresError && error.code === undefinedTable) return null;
    throw error;
  }
};

const conditionOf = (
  row: ReportRow | undefined,
): Pick<ShardReport, "state" | "problem" | "reportedAt"> => {
  if (row?.reported_at == null) return { state: "unattended", problem: null, reportedAt: null };
  const reportedAt = row.reported_at.toISOString();
  // somebody else has come past the place where this projector stood
  const outdated = Number(row.checkpoint) > Number(row.reported_checkpoint);
  const problem = outdated ? null : row.problem;
  if (row.recent !== true || row.state === "stopped" || row.state === null) {
    return { state: "unattended", problem, reportedAt };
  }
  return { state: outdated ? "projecting" : row.state, problem, reportedAt };
};
