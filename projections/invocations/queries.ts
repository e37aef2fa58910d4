import type { InvocationId } from "#contracts/ids";
import type { InvocationStatus } from "#contracts/invocation/status";
import type { InvocationView } from "#contracts/invocation/view";
import { olderThan, type Page, pageOf } from "../cursor.ts";
import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { type InvocationRow, invocationsTable } from "./table.ts";

const viewOf = (row: InvocationRow): InvocationView => ({
  id: row.id as InvocationId,
  sessionId: row.session_id,
  integration: row.integration,
  action: row.action,
  params: row.params,
  risk: row.risk,
  mode: row.mode,
  modeSource: row.mode_source,
  ruleId: row.rule_id,
  drifted: row.drifted,
  editedParams: row.edited_params,
  status: row.status,
  resolvedBy: row.resolved_by,
  reason: row.reason,
  result: row.result,
  fullResult: row.full_result,
  failure: row.failure,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** One invocation of the organisation; null if it has none of this id. */
export const getInvocation = async (
  sql: Queryable,
  { organization, id }: { readonly organization: string; readonly id: string },
): Promise<InvocationView | null> => {
  const [row] = await sql`
    select ${sql(columnsOf(invocationsTable))} from invocations
    where organization_id = ${organization} and id = ${id}`;
  return row ? viewOf(rowOf(invocationsTable, row)) : null;
};

/** The invocations of one of the organisation's sessions, newest first. */
export const listSessionInvocations = async (
  sql: Queryable,
  { organization, session }: { readonly organization: string; readonly session: string },
): Promise<InvocationView[]> => {
  const rows = await sql`
    select ${sql(columnsOf(invocationsTable))} from invocations
    where organization_id = ${organization} and session_id = ${session}
    order by created_at desc, id desc`;
  return rows.map((row) => viewOf(rowOf(invocationsTable, row)));
};

export interface InvocationFilter extends Page {
  readonly organization: string;
  readonly status?: InvocationStatus | undefined;
}

/** The organisation's invocations, newest first. Throws `request_malformed` for a forged cursor. */
export const listInvocations = async (
  sql: Queryable,
  { organization, status, limit, cursor }: InvocationFilter,
): Promise<{ invocations: InvocationView[]; next: string | null }> => {
  const rows = await sql`
    select ${sql(columnsOf(invocationsTable))} from invocations
    where organization_id = ${organization}
      ${status === undefined ? sql`` : sql`and status = ${status}`} ${olderThan(sql, cursor)}
    order by created_at desc, id desc
    limit ${limit + 1}`;
  const page = pageOf(
    rows.map((row) => viewOf(rowOf(invocationsTable, row))),
    limit,
    ({ createdAt, id }) => ({ at: createdAt, id }),
  );
  return { invocations: [...page.rows], next: page.next };
};
