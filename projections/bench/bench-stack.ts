import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectToNats } from "#event-store/connection";
import { type EventStore, openEventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { startEmbeddedStack } from "#infra/embedded-stack";
import type { Sql } from "postgres";
import { openDatabase, schemaName } from "../database.ts";

export interface BenchStack {
  readonly store: EventStore;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  /** Opens a pool of one connection to the schema named. */
  openSql(schema?: string): Sql;
  /** Makes an empty schema, and answers what opens pools of one connection to it. */
  openSchema(name: string): Promise<() => Sql>;
}

/** Says on standard error what a projector complains of. */
export const complaints: Log = {
  info: () => undefined,
  warn: (fields, message) => process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`),
  error: (fields, message) => process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`),
};

/** Works on an embedded NATS and Postgres of its own in a temporary folder, and removes them. */
export const withBenchStack = async <Result>(
  work: (stack: BenchStack) => Promise<Result>,
): Promise<Result> => {
  const dataDir = await mkdtemp(join(tmpdir(), "proliferate-bench-"));
  const stack = await startEmbeddedStack({
    dataDir,
    env: process.env,
    durability: "relaxed",
    endsWithParent: true,
  });
  try {
    const { natsUrl, databaseUrl } = stack;
    const connection = await connectToNats({ url: natsUrl, name: "bench" });
    const store = await openEventStore({ connection, durability: "relaxed" });
    const openSql = (schema?: string): Sql =>
      openDatabase({ url: databaseUrl, maxConnections: 1, ...(schema && { schema }) });
    const openSchema = async (name: string): Promise<() => Sql> => {
      const sql = openSql();
      await sql`create schema ${sql(schemaName(name))}`;
      await sql.end({ timeout: 5 });
      return () => openSql(name);
    };
    const result = await work({ store, natsUrl, databaseUrl, openSql, openSchema });
    await connection.close();
    return result;
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
