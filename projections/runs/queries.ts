import type { RunId } from "#contracts/ids";
import type { RunStatus, RunView } from "#contracts/run/view";
import { olderThan, type Page, pageOf } from "../cursor.ts";
import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { type RunRow, runsTable } from "./table.ts";

const statusOf = ({ outcome, session_id, waiting_for }: RunRow): RunStatus => {
  if (outcome !== null) return "completed";
  if (waiting_for.length > 0) return "needs_human";
  return session_id === null ? "starting" : "running";
};

const viewOf = (row: RunRow): RunView => ({
  id: row.id as RunId,
  triggerId: row.trigger_id,
  dedupKey: row.dedup_key,
  title: row.title,
  sessionId: row.session_id,
  status: statusOf(row),
  outcome: row.outcome,
  summary: row.summary,
  completedAt: row.completed_at,
  createdAt: row.created_at,
});

/** The organisation's automation runs, newest first. Throws `request_malformed` for a forged cursor. */
export const listRuns = async (
  sql: Queryable,
  { organization, limit, cursor }: Page & { readonly organization: string },
): Promise<{ runs: RunView[]; next: string | null }> => {
  const rows = await sql`
    select ${sql(columnsOf(runsTable))} from runs
    where organization_id = ${organization} ${olderThan(sql, cursor)}
    order by created_at desc, id desc
    limit ${limit + 1}`;
  const page = pageOf(
    rows.map((row) => viewOf(rowOf(runsTable, row))),
    limit,
    ({ createdAt, id }) => ({ at: createdAt, id }),
  );
  return { runs: [...page.rows], next: page.next };
};
