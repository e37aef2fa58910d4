/**
 * A read model's table as data, and the SQL for many of its rows at once. Rows travel as one JSON
 * parameter per table, so that there are few statements, each of which is prepared once.
 */
import type { Queryable } from "../database.ts";

export type ColumnType =
  "text" | "text[]" | "jsonb" | "integer" | "bigint" | "double precision" | "timestamptz";

export interface Table<Row = never> {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly (keyof Row & string)[];
  readonly columns: { readonly [Column in keyof Row & string]: ColumnType };
  /** The column that names the session a row belongs to; null when rows belong to none. */
  readonly sessionColumn: (keyof Row & string) | null;
}

/** A table whose rows are of no interest, only its name and columns. */
export interface AnyTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly sessionColumn: string | null;
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/**
 * The rows of a JSON array as a relation `r`. The parameter is text, or postgres.js would quote it; and
 * jsonb, because json would parse each value a second time.
 */
const recordset = (
  table: AnyTable,
  { names, parameter }: { readonly names: readonly string[]; readonly parameter: number },
): string =>
  `jsonb_to_recordset($${parameter}::text::jsonb) as r(${names
    .map((name) => `"${name}" ${table.columns[name] ?? "text"}`)
    .join(", ")})`;

/** Rows that a projection wants to have in a table. */
export interface TableWrite {
  readonly table: AnyTable;
  /** Whether rows with the same keys are replaced; without, they are an error. */
  readonly replace: boolean;
  /** JSON array of the rows. */
  readonly json: string;
}

/** Adds rows that are not there yet. */
export const inserted = <Row>(table: Table<Row>, rows: readonly Row[]): TableWrite => ({
  table,
  replace: false,
  json: JSON.stringify(rows),
});

/** Adds rows, or replaces those with the same key. A key may appear only once in `rows`. */
export const upserted = <Row>(table: Table<Row>, rows: readonly Row[]): TableWrite => ({
  table,
  replace: true,
  json: JSON.stringify(rows),
});

/** The SQL of a write whose JSON is the given parameter, taking place once for each row of `condition`. */
export const writeSql = (
  { table, replace }: Pick<TableWrite, "table" | "replace">,
  { parameter, condition }: { readonly parameter: number; readonly condition: string },
): string => {
  const names = Object.keys(table.columns);
  const insert =
    `insert into "${table.name}" (${quoted(names)}) select ${quoted(names)}` +
    ` from ${condition}, ${recordset(table, { names, parameter })}`;
  if (!replace) return insert;
  const changes = names
    .filter((name) => !table.key.includes(name))
    .map((name) => `"${name}" = excluded."${name}"`)
    .join(", ");
  return `${insert} on conflict (${quoted(table.key)}) do update set ${changes}`;
};

/**
 * One look into the primary key for each row asked for. A plain join is planned anew only when statistics
 * come in, and was seen to read a whole table per batch because it had been empty at first.
 */
const selectSql = (table: AnyTable): string =>
  `select found.* from ${recordset(table, { names: table.key, parameter: 1 })},` +
  ` lateral (select ${quoted(Object.keys(table.columns))} from "${table.name}" t` +
  ` where ${table.key.map((name) => `t."${name}" = r."${name}"`).join(" and ")} limit 1) found`;

/** The names of a table's columns, for `select ${sql(columnsOf(table))}`. */
export const columnsOf = (table: AnyTable): string[] => Object.keys(table.columns);

/** A row as it was written: what postgres.js answers as `Date` or text is an ISO instant or number again. */
export const rowOf = <Row>(table: Table<Row>, raw: Readonly<Record<string, unknown>>): Row => {
  const columns: Readonly<Record<string, ColumnType>> = table.columns;
  const entries = Object.entries(raw).map(([name, value]) => {
    if (value instanceof Date) return [name, value.toISOString()];
    return [name, columns[name] === "bigint" && value !== null ? Number(value) : value];
  });
  return Object.fromEntries(entries) as Row;
};

/** The rows with these keys, in no certain order; those that do not exist are left out. */
export const loadRows = async <Row>(
  sql: Queryable,
  table: Table<Row>,
  keys: readonly Partial<Row>[],
): Promise<Row[]> => {
  if (keys.length === 0) return [];
  const rows = await sql.unsafe<Record<string, unknown>[]>(
    selectSql(table),
    [JSON.stringify(keys)],
    { prepare: true },
  );
  return rows.map((raw) => rowOf(table, raw));
};
