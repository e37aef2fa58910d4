/** Test support: a read model that counts commits, so that one that is projected twice shows. */
import type { Queryable } from "../database.ts";
import type { Projection } from "../runtime/projection.ts";
import { loadRows, type Table, upserted } from "../runtime/table.ts";

const table: Table<{ organization_id: string; commits: number }> = {
  name: "tally",
  key: ["organization_id"],
  columns: { organization_id: "text", commits: "integer" },
  sessionColumn: null,
};

export const tally: Projection = {
  name: "tally",
  version: 1,
  schema: new URL("./tally.sql", import.meta.url),
  tables: [table],
  project: async (batch, sql) => {
    const organizations = [...new Set(batch.map(({ ref }) => ref.organization))];
    const known = await loadRows(
      sql,
      table,
      organizations.map((organization_id) => ({ organization_id })),
    );
    const rows = organizations.map((organization_id) => ({
      organization_id,
      commits:
        (known.find((row) => row.organization_id === organization_id)?.commits ?? 0) +
        batch.filter(({ ref }) => ref.organization === organization_id).length,
    }));
    return upserted(table, rows);
  },
};

/**
 * Lets Postgres end the connections of the next writers of the tally, when the rows are written and the
 * transaction is not yet committed. The sequence `cuts` counts them, whatever is rolled back.
 */
export const cutOffWriters = async (sql: Queryable, times: number): Promise<void> => {
  await sql.unsafe(`
    create sequence cuts;
    create function cut_off() returns trigger language plpgsql as $$
    begin
      if nextval('cuts') <= ${times} then
        perform pg_terminate_backend(pg_backend_pid());
      end if;
      return null;
    end $$;
    create trigger cut_off after insert or update on tally
      for each statement execute function cut_off();`);
};
