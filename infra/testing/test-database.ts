import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import "./provided-context.ts";

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Drops it, also while somebody is connected to it. Fine to call twice. */
  drop(): Promise<void>;
}

/** Creates an empty database in the Postgres of the test run. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const url = new URL(inject("postgresUrl"));
  await asAdministrator((sql) => sql`CREATE DATABASE ${sql(name)}`);
  url.pathname = `/${name}`;
  const drop = async (): Promise<void> => {
    await asAdministrator((sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`);
  };
  return { url: url.href, drop, [Symbol.asyncDispose]: drop };
};

const asAdministrator = async (work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> => {
  const sql = postgres(inject("postgresUrl"), { max: 1, onnotice: () => undefined });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
};
