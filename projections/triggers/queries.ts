import type { OrganizationId, TriggerId } from "#contracts/ids";
import type { TriggerView } from "#contracts/trigger/view";
import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { type TriggerRow, triggersTable } from "./table.ts";

const viewOf = (row: TriggerRow): TriggerView => ({
  id: row.id as TriggerId,
  name: row.name,
  provider: row.provider,
  filter: row.filter,
  prompt: row.prompt,
  repository: row.repository,
  configurationId: row.configuration_id,
  connections: row.connections,
  createdAt: row.created_at,
});

/** One trigger of the organisation; null if it has none of this id. */
export const getTrigger = async (
  sql: Queryable,
  { organization, id }: { readonly organization: string; readonly id: string },
): Promise<TriggerView | null> => {
  const [row] = await sql`
    select ${sql(columnsOf(triggersTable))} from triggers
    where organization_id = ${organization} and id = ${id}`;
  return row ? viewOf(rowOf(triggersTable, row)) : null;
};

/** The organisation's triggers, newest first. */
export const listTriggers = async (
  sql: Queryable,
  { organization }: { readonly organization: string },
): Promise<TriggerView[]> => {
  const rows = await sql`
    select ${sql(columnsOf(triggersTable))} from triggers
    where organization_id = ${organization}
    order by created_at desc, id desc`;
  return rows.map((row) => viewOf(rowOf(triggersTable, row)));
};

/** Whose trigger this is; null if there is none. For deliveries, which come without an organisation. */
export const organizationOfTrigger = async (
  sql: Queryable,
  id: TriggerId,
): Promise<OrganizationId | null> => {
  const [row] = await sql<{ organization_id: OrganizationId }[]>`
    select organization_id from triggers where id = ${id}`;
  return row?.organization_id ?? null;
};
