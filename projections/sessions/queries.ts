import type { OrganizationId, SessionId } from "#contracts/ids";
import type { SessionView } from "#contracts/session/view";
import { olderThan, type Page, pageOf } from "../cursor.ts";
import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { type SessionRow, sessionsTable } from "./table.ts";

const viewOf = (row: SessionRow): SessionView => ({
  id: row.id as SessionId,
  organizationId: row.organization_id as OrganizationId,
  title: row.title,
  status: row.status,
  origin: row.origin,
  kind: row.kind,
  configurationId: row.configuration_id,
  parentId: row.parent_id,
  connections: row.connections && [...row.connections],
  excludedConnections: [...row.excluded_connections],
  repository: row.repository,
  model: row.model,
  openPrompts: row.open_prompts.length,
  failure: row.failure,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** One session of the organisation; null if it has none of this id. */
export const getSession = async (
  sql: Queryable,
  { organization, id }: { readonly organization: string; readonly id: string },
): Promise<SessionView | null> => {
  const [row] = await sql`
    select ${sql(columnsOf(sessionsTable))} from sessions
    where organization_id = ${organization} and id = ${id}`;
  return row ? viewOf(rowOf(sessionsTable, row)) : null;
};

/** The organisation's sessions, newest first. Throws `request_malformed` for a forged cursor. */
export const listSessions = async (
  sql: Queryable,
  { organization, limit, cursor }: Page & { readonly organization: string },
): Promise<{ sessions: SessionView[]; next: string | null }> => {
  const rows = await sql`
    select ${sql(columnsOf(sessionsTable))} from sessions
    where organization_id = ${organization} ${olderThan(sql, cursor)}
    order by created_at desc, id desc
    limit ${limit + 1}`;
  const page = pageOf(
    rows.map((row) => viewOf(rowOf(sessionsTable, row))),
    limit,
    ({ createdAt, id }) => ({ at: createdAt, id }),
  );
  return { sessions: [...page.rows], next: page.next };
};

/** The sessions that were made from a configuration and have not been deleted. */
export const sessionsOfConfiguration = async (
  sql: Queryable,
  {
    organization,
    configuration,
  }: { readonly organization: string; readonly configuration: string },
): Promise<readonly SessionId[]> => {
  const rows = await sql<{ id: SessionId }[]>`
    select id from sessions
    where organization_id = ${organization} and configuration_id = ${configuration}
      and status <> 'stopped'`;
  return rows.map(({ id }) => id);
};
