import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import type { ActionSource } from "../../actions/sources/source.ts";
import { createOutbound, type Outbound } from "../outbound/outbound.ts";
import { contextOf } from "../testing/vendor-call.ts";
import { createPostgresSource, type PostgresSourceOptions } from "./postgres-source.ts";

let test: TestDatabase;
let sql: Sql;
let outbound: Outbound;

/** As the embedded server's superuser, who may do most of what is to be kept from happening. */
const sourceWith = (
  database: Partial<PostgresSourceOptions["database"]> = {},
  bounds: PostgresSourceOptions["bounds"] = {},
  through = outbound,
): ActionSource => {
  const url = new URL(test.url);
  return createPostgresSource({
    id: "shop",
    name: "Shop",
    database: {
      kind: "postgres",
      host: url.hostname === "localhost" ? "127.0.0.1" : url.hostname,
      port: Number(url.port),
      database: url.pathname.slice(1),
      user: decodeURIComponent(url.username),
      tls: "off",
      ...database,
    },
    password: () => Promise.resolve(decodeURIComponent(url.password)),
    outbound: through,
    bounds,
  });
};
const query = (text: string, values: unknown[] = [], source = sourceWith()) =>
  source.execute("query", { sql: text, values }, contextOf());

beforeAll(async () => {
  test = await createTestDatabase();
  sql = openDatabase({ url: test.url });
  outbound = createOutbound({ allowedNetworks: ["127.0.0.0/8", "::1/128"] });
  await sql`CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL, at timestamptz)`;
  await sql`INSERT INTO orders VALUES (1, 'Ada', '2026-01-02T03:04:05.123456Z'), (2, 'Bo', NULL)`;
  await sql`CREATE SEQUENCE numbers`;
  await sql.unsafe(`
    CREATE FUNCTION erase_orders() RETURNS int LANGUAGE plpgsql AS $$
    BEGIN DELETE FROM orders; RETURN 1; END $$;
    CREATE FUNCTION escape_and_erase() RETURNS int LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('transaction_read_only', 'off', true);
      DELETE FROM orders;
      RETURN 1;
    END $$;
    CREATE PROCEDURE commit_and_erase() LANGUAGE plpgsql AS $$
    BEGIN COMMIT; DELETE FROM orders; END $$;`);
});
afterAll(async () => {
  await outbound.close();
  await sql.end();
  await test.drop();
});

describe("a query", () => {
  it("answers its rows in order, with values as Postgres writes them", async () => {
    expect(await query("SELECT id, customer, at FROM orders ORDER BY id")).toEqual({
      columns: ["id", "customer", "at"],
      rows: [
        [1, "Ada", "2026-01-02 03:04:05.123456+00"],
        [2, "Bo", null],
      ],
      truncated: false,
    });
    const twice = "SELECT 1 AS a, 'x'::bytea AS a, 'infinity'::date AS b, '{\"c\": 1}'::jsonb AS d";
    expect(await query(twice)).toEqual({
      columns: ["a", "a", "b", "d"],
      rows: [[1, "\\x78", "infinity", { c: 1 }]],
      truncated: false,
    });
  });

  it("takes its values apart from its text", async () => {
    const injection = "Ada'; DROP TABLE orders; --";
    expect(
      await query("SELECT id FROM orders WHERE customer = $1 OR id = $2", [injection, 2]),
    ).toMatchObject({ rows: [[2]] });
    expect(await query("WITH them AS (TABLE orders) SELECT count(*) FROM them")).toMatchObject({
      rows: [["2"]],
    });
  });

  it.each([
    ["INSERT INTO orders VALUES (3, 'Cy')", "query_refused"],
    ["WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone", "query_refused"],
    ["SELECT * FROM orders; DELETE FROM orders", "query_refused"],
    ["SELECT 1; COMMIT; DELETE FROM orders", "query_refused"],
    ["COMMIT", "query_refused"],
    ["SET TRANSACTION READ WRITE", "query_refused"],
    ["DO $$ BEGIN DELETE FROM orders; END $$", "query_refused"],
    ["CALL commit_and_erase()", "query_refused"],
    ["COPY orders TO PROGRAM 'cat > /dev/null'", "query_refused"],
    ["COPY (SELECT 1) TO STDOUT", "query_refused"],
    ["EXPLAIN ANALYZE DELETE FROM orders", "query_refused"],
    ["SELECT * INTO copied FROM orders", "query_refused"],
    ["SELECT * FROM orders FOR UPDATE", "query_refused"],
    ["SELECT erase_orders()", "query_refused"],
    ["SELECT escape_and_erase()", "query_refused"],
    ["SELECT nextval('numbers')", "query_refused"],
    ["SELECT set_config('transaction_read_only', 'off', false)", "query_refused"],
    ["SELECT lo_create(0)", "query_refused"],
    ["SELECT nothing FROM orders", "query_failed"],
    ["", "invalid"],
  ])("%s changes nothing", async (text, code) => {
    const error: unknown = await query(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    if (code !== "invalid") expect(error).toMatchObject({ code });
    expect(await sql`SELECT count(*)::int AS n FROM orders`).toEqual([{ n: 2 }]);
    expect(await sql`SELECT to_regclass('copied') AS copied`).toEqual([{ copied: null }]);
  });

  it("that sleeps is ended by the database, and also if it forbids that", async () => {
    const hasty = sourceWith({}, { statementTimeoutMs: 300 });
    for (const text of [
      "SELECT pg_sleep(3600)",
      "SELECT set_config('statement_timeout', '0', false), pg_sleep(3600)",
    ]) {
      await expect(query(text, [], hasty)).rejects.toMatchObject({ code: "query_timed_out" });
    }
  });

  it("is left when nobody waits for it", async () => {
    const nobody = new AbortController();
    const running = sourceWith().execute(
      "query",
      { sql: "SELECT pg_sleep(3600)" },
      contextOf(nobody.signal),
    );
    nobody.abort(new Error("It took too long."));
    await expect(running).rejects.toThrow();
  });

  it("is cut after so many rows, and refused when it is too large", async () => {
    const small = sourceWith({}, { maxRows: 10, maxBytes: 1024 * 1024 });
    const answer = await query("SELECT * FROM generate_series(1, 1000000)", [], small);
    expect(answer).toMatchObject({ truncated: true, columns: ["generate_series"] });
    expect((answer as { rows: unknown[] }).rows).toHaveLength(10);
    await expect(query("SELECT repeat('x', 50000000)", [], small)).rejects.toMatchObject({
      code: "response_too_large",
    });
  });
});

describe("the database", () => {
  it("is told by its tables and their columns", async () => {
    const answer = await sourceWith().execute("list_tables", { schema: "public" }, contextOf());
    expect(answer).toEqual({
      tables: [
        {
          schema: "public",
          name: "orders",
          kind: "table",
          columns: [
            { name: "id", type: "integer", nullable: false },
            { name: "customer", type: "text", nullable: false },
            { name: "at", type: "timestamp with time zone", nullable: true },
          ],
        },
      ],
      next: null,
    });
    const after = { schema: "public", after: "public.orders" };
    expect(await sourceWith().execute("list_tables", after, contextOf())).toEqual({
      tables: [],
      next: null,
    });
  });

  it("is connected to at allowed addresses only", async () => {
    const strict = createOutbound();
    try {
      const source = sourceWith({}, {}, strict);
      await expect(source.check?.()).rejects.toMatchObject({ code: "address_forbidden" });
    } finally {
      await strict.close();
    }
  });

  it("is not spoken to in the clear unless somebody has said so", async () => {
    for (const tls of ["verify", "encrypt"] as const) {
      await expect(sourceWith({ tls }).check?.()).rejects.toMatchObject({
        code: "integration_unreachable",
      });
    }
  });

  it("that is not there, or wants somebody else, says so", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, "close");
    await expect(sourceWith({ port }).check?.()).rejects.toMatchObject({
      code: "integration_unreachable",
    });
    await expect(sourceWith({ database: "no_such_database" }).check?.()).rejects.toMatchObject({
      code: "query_failed",
    });
    await expect(sourceWith().check?.()).resolves.toBeUndefined();
  });
});
