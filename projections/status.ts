/** How far the read models have come, as any process can see it in the database and the log. */
import type { ProjectionStatus } from "#contracts/projections/view";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import postgres from "postgres";
import type { Queryable } from "./database.ts";
import type { Problem } from "./runtime/condition.ts";
import { reportMs } from "./runtime/reporting.ts";
import { shadowOf } from "./runtime/shadow.ts";

/** A projector that has missed this many of its reports is taken for gone. */
const missedReports = 3;

const undefinedTable = "42P01";

type ModelStatus = ProjectionStatus["models"][number];
type ShardProgress = ModelStatus["shards"][number];

/** A shard's progress with the whole problem: its message may quote what the commit says. */
export type ShardReport = Omit<ShardProgress, "problem"> & { readonly problem: Problem | null };

interface ModelReport {
  readonly name: string;
  readonly version: number;
  readonly shards: ShardReport[];
}

export interface StatusReport {
  readonly models: (ModelReport & { readonly rebuild: Omit<ModelReport, "name"> | null })[];
}

/** @throws what Postgres or the log throw; the tables of the read models have to be there */
export const readProjectionStatus = async (
  store: EventStore,
  sql: Queryable,
): Promise<StatusReport> => {
  const [row] = await sql<{ schema: string }[]>`select current_schema() as schema`;
  const schema = row?.schema ?? "public";
  const [live, shadow, ends] = await Promise.all([
    readRows(sql, schema),
    readShadowRows(sql, shadowOf(schema)),
    Promise.all(Array.from({ length: store.shards }, (_, shard) => lastSequence(store, shard))),
  ]);
  const building = new Map(reportsOf(shadow, ends).map(({ name, ...rebuild }) => [name, rebuild]));
  return {
    models: reportsOf(live, ends).map((model) => ({
      ...model,
      rebuild: building.get(model.name) ?? null,
    })),
  };
};

interface Row {
  readonly name: string;
  readonly version: number;
  /** Null for a model that no projector has opened yet, and so are the ones below. */
  readonly shard: number | null;
  readonly checkpoint: string;
  readonly state: "projecting" | "retrying" | "halted" | "stopped" | null;
  readonly problem: Problem | null;
  readonly reported_checkpoint: string | null;
  readonly reported_at: Date | null;
  readonly recent: boolean | null;
}

const readRows = (sql: Queryable, schema: string): PromiseLike<readonly Row[]> => sql<Row[]>`
  select m.name, m.version, p.shard, p.checkpoint, r.state, r.problem,
    r.checkpoint as reported_checkpoint, r.reported_at,
    r.reported_at > now() - ${missedReports * reportMs} * interval '1 millisecond' as recent
  from ${sql(schema)}.projection_models m
  left join ${sql(schema)}.projection_progress p on p.model = m.name
  left join ${sql(schema)}.projection_reports r on r.model = p.model and r.shard = p.shard
  order by m.name, p.shard`;

/** The same of what is being built beside the live tables; nothing where nothing ever was. */
const readShadowRows = async (sql: Queryable, shadow: string): Promise<readonly Row[]> => {
  try {
    return await readRows(sql, shadow);
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === undefinedTable) return [];
    throw error;
  }
};

const reportsOf = (rows: readonly Row[], ends: readonly number[]): readonly ModelReport[] => {
  const models = new Map(rows.map(({ name, version }) => [name, version]));
  return [...models].map(([name, version]) => ({
    name,
    version,
    shards: ends.map((end, shard) => {
      const row = rows.find((candidate) => candidate.name === name && candidate.shard === shard);
      const checkpoint = Number(row?.checkpoint ?? 0);
      return { shard, ...conditionOf(row), checkpoint, end, lag: Math.max(0, end - checkpoint) };
    }),
  }));
};

const conditionOf = (
  row: Row | undefined,
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
