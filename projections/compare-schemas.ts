/** Whether two schemas hold the same read models, row by row, decided inside Postgres. */
import type { Fragment, Sql } from "postgres";
import { schemaName } from "./database.ts";
import { readModels } from "./read-models.ts";
import type { Projection } from "./runtime/projection.ts";
import { type AnyTable, columnsOf } from "./runtime/table.ts";

export interface TableDifference {
  readonly table: string;
  /** How many rows only the first schema has. */
  readonly onlyInFirst: number;
  readonly onlyInSecond: number;
}

export interface Comparison {
  readonly identical: boolean;
  /** How many rows of the first schema were compared: 0 would make "identical" worthless. */
  readonly rows: number;
  readonly differences: readonly TableDifference[];
}

export interface CompareOptions {
  /** Compares only the rows of this session: itself, its messages, invocations, runs and audit entries. */
  readonly session?: string;
  /** Compares only these read models; all unless told. */
  readonly projections?: readonly Projection[];
}

/**
 * Compares the read models in two schemas of one database. Nothing should be projected into either
 * meanwhile: the tables are looked at one after the other.
 */
export const compareSchemas = async (
  sql: Sql,
  [first, second]: readonly [string, string],
  { session, projections = readModels }: CompareOptions = {},
): Promise<Comparison> => {
  const rowsOf = (schema: string, table: AnyTable): Fragment => sql`
    select ${sql(columnsOf(table))} from ${sql(schemaName(schema))}.${sql(table.name)}
    ${
      session === undefined || table.sessionColumn === null
        ? sql``
        : sql`where ${sql(table.sessionColumn)} = ${session}`
    }`;
  const compared: (TableDifference & { readonly rows: number })[] = [];
  for (const table of projections.flatMap(({ tables }) => tables)) {
    if (session !== undefined && table.sessionColumn === null) continue;
    compared.push(
      ...(await sql<(TableDifference & { readonly rows: number })[]>`
        with a as (${rowsOf(first, table)}), b as (${rowsOf(second, table)})
        select
          ${table.name} as "table",
          (select count(*) from a)::int as rows,
          (select count(*) from (select * from a except all select * from b) x)::int as "onlyInFirst",
          (select count(*) from (select * from b except all select * from a) x)::int as "onlyInSecond"`),
    );
  }
  const differences = compared
    .filter(({ onlyInFirst, onlyInSecond }) => onlyInFirst + onlyInSecond > 0)
    .map(({ table, onlyInFirst, onlyInSecond }) => ({ table, onlyInFirst, onlyInSecond }));
  const rows = compared.reduce((sum, counted) => sum + counted.rows, 0);
  return { identical: differences.length === 0, rows, differences };
};
