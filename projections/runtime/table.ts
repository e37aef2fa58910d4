/** A read model's table as data, and the SQL that reads and writes many of its rows at once. */
import type { Queryable } from "../database.ts";

export type ColumnType =
  | "text"
  | "text[]"
  | "jsonb"
  | "boolean"
  | "integer"
  | "bigint"
  | "double precision"
  | "timestamptz";

export interface Table<Row = never> {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly (keyof Row & string)[];
  readonly columns: { readonly [Column in keyof Row & string]: ColumnType };
  /** The columns that keep their first values when a row is written again. */
  readonly kept?: readonly (keyof Row & string)[];
  /** The column that names the session a row belongs to; null when rows belong to none. */
  readonly sessionColumn: (keyof Row & string) | null;
}

/** A table whose rows are of no interest, only its name and columns. */
export interface AnyTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly kept?: readonly string[];
  readonly sessionColumn: string | null;
}

/** Rows that a projection wants to have in a table. */
export interface TableWrite {
  readonly table: AnyTable;
  /** Whether rows with the same keys are replaced; without, they are an error. */
  readonly replace: boolean;
  /** JSON array of the rows, each an array of its values in the order of the columns. */
  readonly json: string;
}

/** No parameter is longer, in characters, unless one row alone is: jsonb ends at 256 MB. */
const maxJsonLength = 16 * 1024 * 1024;

/** Adds rows that are not there yet. */
export const inserted = <Row>(table: Table<Row>, rows: readonly Row[]): readonly TableWrite[] =>
  writesOf(table, false, rows as readonly Readonly<Record<string, unknown>>[]);

/** Adds rows, or replaces those with the same key. A key may appear only once in `rows`. */
export const upserted = <Row>(table: Table<Row>, rows: readonly Row[]): readonly TableWrite[] =>
  writesOf(table, true, rows as readonly Readonly<Record<string, unknown>>[]);

const writesOf = (
  table: AnyTable,
  replace: boolean,
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly TableWrite[] => {
  if (rows.length === 0) return [];
  const columns = Object.entries(table.columns);
  const values = rows.map((row) => {
    const own: unknown[] = [];
    for (const [name, type] of columns) {
      own.push(type === "text[]" ? arrayLiteral(row[name] as readonly string[]) : row[name]);
    }
    return own;
  });
  return parametersOf(values).map((json) => ({ table, replace, json }));
};

/** One text for all rows takes less time than one for each; so they are only parted if it is too long. */
const parametersOf = (rows: readonly (readonly unknown[])[]): readonly string[] => {
  const json = JSON.stringify(rows);
  if (json.length <= maxJsonLength || rows.length === 1) return [json];
  const half = Math.ceil(rows.length / 2);
  return [...parametersOf(rows.slice(0, half)), ...parametersOf(rows.slice(half))];
};

const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;

/**
 * The SQL of a write whose JSON is the given parameter, taking place once for each row of `condition`.
 *
 * All rows travel in one parameter, as text because postgres.js would quote json once more. Rows as arrays
 * are taken apart a third faster than objects by `jsonb_to_recordset`, and about as fast as columns by
 * `unnest`, which cost this process three times as much to write.
 */
export const writeSql = (
  { table, replace }: Pick<TableWrite, "table" | "replace">,
  { parameter, condition }: { readonly parameter: number; readonly condition: string },
): string => {
  const names = Object.keys(table.columns);
  const values = Object.values(table.columns).map((type, index) => {
    if (type === "jsonb") return `nullif(r.v->${index}, 'null')`;
    return type === "text" ? `r.v->>${index}` : `(r.v->>${index})::${type}`;
  });
  const insert =
    `insert into "${table.name}" (${quoted(names)}) select ${values.join(", ")}` +
    ` from ${condition}, jsonb_array_elements($${parameter}::text::jsonb) as r(v)`;
  if (!replace) return insert;
  const changes = names
    .filter((name) => !table.key.includes(name) && !table.kept?.includes(name))
    .map((name) => `"${name}" = excluded."${name}"`)
    .join(", ");
  return `${insert} on conflict (${quoted(table.key)}) do update set ${changes}`;
};

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/**
 * One look into the primary key for each row asked for: a join, once it is prepared, might go on to read
 * the whole table as it did when that was empty.
 */
const selectSql = (table: AnyTable): string =>
  `select found.* from jsonb_to_recordset($1::text::jsonb) as r(${table.key
    .map((name) => `"${name}" ${table.columns[name] ?? "text"}`)
    .join(", ")}), lateral (select ${quoted(columnsOf(table))} from "${table.name}" t` +
  ` where ${table.key.map((name) => `t."${name}" = r."${name}"`).join(" and ")} limit 1) found`;

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
