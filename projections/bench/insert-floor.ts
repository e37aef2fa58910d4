import type { Sql } from "postgres";
import { readModels } from "../read-models.ts";
import { columnsOf, inserted, rowOf, type Table, writeSql } from "../runtime/table.ts";

/**
 * What Postgres alone takes, in milliseconds, to insert the rows that stand in the read models into empty
 * copies of the same tables, in batches of `batch` rows from memory. Nothing is read, folded or checked.
 */
export const insertFloorMs = async (
  sql: Sql,
  { copy, batch }: { readonly copy: Sql; readonly batch: number },
): Promise<number> => {
  const statements: { text: string; json: string }[] = [];
  for (const table of readModels.flatMap(({ tables }) => tables)) {
    const rows = (await sql`select ${sql(columnsOf(table))} from ${sql(table.name)}`).map((row) =>
      rowOf(table as Table<Record<string, unknown>>, row),
    );
    const text = writeSql(
      { table, replace: false },
      { parameter: 1, condition: "(select 1) as once" },
    );
    for (let start = 0; start < rows.length; start += batch) {
      const writes = inserted(
        table as Table<Record<string, unknown>>,
        rows.slice(start, start + batch),
      );
      statements.push(...writes.map(({ json }) => ({ text, json })));
    }
  }
  const started = performance.now();
  for (const { text, json } of statements) await copy.unsafe(text, [json], { prepare: true });
  return performance.now() - started;
};
