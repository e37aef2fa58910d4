import type { ConfigurationView } from "#contracts/configuration/view";
import type { ConfigurationId } from "#contracts/ids";
import { olderThan, type Page, pageOf } from "../cursor.ts";
import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { type ConfigurationRow, configurationsTable } from "./table.ts";

const viewOf = (row: ConfigurationRow): ConfigurationView => ({
  id: row.id as ConfigurationId,
  name: row.name,
  repositories: row.repositories,
  serviceCommands: row.service_commands,
  envFiles: row.env_files,
  previewPorts: row.preview_ports,
  setup: row.setup,
  snapshot: row.snapshot,
  createdBy: row.created_by,
  archived: row.archived,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** One configuration of the organisation; null if it has none of this id. */
export const getConfiguration = async (
  sql: Queryable,
  { organization, id }: { readonly organization: string; readonly id: string },
): Promise<ConfigurationView | null> => {
  const [row] = await sql`
    select ${sql(columnsOf(configurationsTable))} from configurations
    where organization_id = ${organization} and id = ${id}`;
  return row ? viewOf(rowOf(configurationsTable, row)) : null;
};

export interface ConfigurationsWanted extends Page {
  readonly organization: string;
  /** Whether those that were archived are listed as well. */
  readonly archived: boolean;
}

/** The organisation's configurations, newest first. Throws `request_malformed` for a forged cursor. */
export const listConfigurations = async (
  sql: Queryable,
  { organization, limit, cursor, archived }: ConfigurationsWanted,
): Promise<{ configurations: ConfigurationView[]; next: string | null }> => {
  const rows = await sql`
    select ${sql(columnsOf(configurationsTable))} from configurations
    where organization_id = ${organization} ${olderThan(sql, cursor)}
      ${archived ? sql`` : sql`and not archived`}
    order by created_at desc, id desc
    limit ${limit + 1}`;
  const page = pageOf(
    rows.map((row) => viewOf(rowOf(configurationsTable, row))),
    limit,
    ({ createdAt, id }) => ({ at: createdAt, id }),
  );
  return { configurations: [...page.rows], next: page.next };
};
