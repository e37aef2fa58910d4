import type { AuditEntry } from "#contracts/audit/view";
import { DomainError } from "#contracts/errors";
import { formatPosition } from "#event-store/position";
import { decodeCursor, type Page, pageOf } from "../cursor.ts";
import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { type AuditRow, auditTable } from "./table.ts";

const viewOf = (row: AuditRow): AuditEntry => ({
  position: formatPosition(row.shard, row.sequence),
  aggregate: row.aggregate,
  aggregateId: row.aggregate_id,
  eventTypes: [...row.event_types],
  actor: row.actor,
  commandId: row.command_id,
  correlationId: row.correlation_id,
  at: row.at,
});

/** An organisation lives in one shard, so the sequence alone orders its entries. */
const sequenceOf = (cursor: string): string => {
  const { id } = decodeCursor(cursor);
  if (!/^\d{1,16}$/.test(id)) {
    throw new DomainError("request_malformed", "The cursor belongs to another list.");
  }
  return id;
};

export interface AuditFilter extends Page {
  readonly organization: string;
  /** Only what was done to this aggregate. */
  readonly aggregateId?: string | undefined;
}

/** The organisation's audit trail in the order of the log, newest first. Throws `request_malformed`. */
export const listAudit = async (
  sql: Queryable,
  { organization, aggregateId, limit, cursor }: AuditFilter,
): Promise<{ entries: AuditEntry[]; next: string | null }> => {
  const raw = await sql`
    select ${sql(columnsOf(auditTable))} from audit
    where organization_id = ${organization}
      ${aggregateId === undefined ? sql`` : sql`and aggregate_id = ${aggregateId}`}
      ${cursor === undefined ? sql`` : sql`and sequence < ${sequenceOf(cursor)}::bigint`}
    order by sequence desc
    limit ${limit + 1}`;
  const page = pageOf(
    raw.map((row) => rowOf(auditTable, row)),
    limit,
    ({ at, sequence }) => ({ at, id: String(sequence) }),
  );
  return { entries: page.rows.map(viewOf), next: page.next };
};
