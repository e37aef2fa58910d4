/** Test support: where a text is found, in everything that the servers keep. */
import type { Sql } from "postgres";
import type { EventStore } from "#event-store/event-store";

const includes = (content: string, wanted: string): boolean => {
  if (content.includes(wanted)) return true;
  // Deliveries are stored in base64, and one such text may stand in another.
  const encoded = content.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? [];
  return encoded.some((text) => Buffer.from(text, "base64").includes(wanted));
};

/** The streams and buckets with a message that holds the text, and the tables with a row that does. */
export const placesOf = async (
  { jsm }: EventStore,
  sql: Sql,
  wanted: string,
): Promise<readonly string[]> => {
  const places = new Set<string>();
  for await (const { config, state } of jsm.streams.list()) {
    const first = Math.max(1, state.first_seq);
    await Promise.all(
      Array.from({ length: state.last_seq - first + 1 }, async (_, index) => {
        const message = await jsm.streams.getMessage(config.name, { seq: first + index });
        if (message && includes(message.string(), wanted)) places.add(config.name);
      }),
    );
  }
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema')`;
  for (const { schema, name } of tables) {
    const rows = await sql`select row_to_json(t)::text as row from ${sql(schema)}.${sql(name)} t`;
    if (rows.some(({ row }) => includes(row as string, wanted))) places.add(`${schema}.${name}`);
  }
  return [...places].sort();
};
