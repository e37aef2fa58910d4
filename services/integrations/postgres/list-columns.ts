import { type DatabaseAddress, type ReadBounds, readRows } from "./read-rows.ts";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: "table" | "view";
  readonly columns: readonly Column[];
}

export interface TablePage {
  readonly tables: readonly Table[];
  /** For the page after this one; null for the last. */
  readonly next: string | null;
}

const tablesOfPage = 50;

/** What the user may see, without what belongs to Postgres. */
const tablesQuery = /* sql */ `
  WITH page AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, n.nspname || '.' || c.relname AS path
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
      AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
      AND ($1::text IS NULL OR n.nspname = $1::text)
      AND ($2::text IS NULL OR n.nspname || '.' || c.relname > $2::text)
    ORDER BY path
    LIMIT ${tablesOfPage + 1}
  )
  SELECT page.nspname, page.relname, page.relkind::text, page.path, coalesce(
    json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', NOT a.attnotnull
    ) ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL), '[]')
  FROM page LEFT JOIN pg_attribute a
    ON a.attrelid = page.oid AND a.attnum > 0 AND NOT a.attisdropped
  GROUP BY page.nspname, page.relname, page.relkind, page.path
  ORDER BY page.path`;

/** @throws as {@link readRows} */
export const listColumns = async (
  address: DatabaseAddress,
  { schema, after }: { readonly schema?: string | undefined; readonly after?: string | undefined },
  bounds: ReadBounds,
): Promise<TablePage> => {
  const values = [schema ?? null, after ?? null];
  const { rows } = await readRows(address, { sql: tablesQuery, values }, bounds);
  const found = rows as readonly (readonly [string, string, string, string, Column[]])[];
  const shown = found.slice(0, tablesOfPage);
  return {
    tables: shown.map(([schema, name, kind, , columns]) => ({
      schema,
      name,
      kind: kind === "v" || kind === "m" ? "view" : "table",
      columns,
    })),
    next: found.length > tablesOfPage ? (shown.at(-1)?.[3] ?? null) : null,
  };
};
