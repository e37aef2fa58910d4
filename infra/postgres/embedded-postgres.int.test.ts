import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive } from "../process/running-processes.ts";
import { startPostgres } from "./embedded-postgres.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "embedded-postgres-"));
  await chmod(folder, 0o700);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const withClient = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
};

it("serves from below a private folder, keeps its rows, and stops under a client that stays", async () => {
  const dataDir = join(folder, "data");
  const first = await startPostgres({ dataDir });
  const staying = postgres(first.url, { max: 1, onclose: () => undefined });
  await staying`CREATE TABLE kept (id int)`;
  await staying`INSERT INTO kept VALUES (1)`;
  const [setting] = await staying`SHOW fsync`;
  expect(setting).toEqual({ fsync: "on" });
  await first.stop();
  await first.stop();
  expect(await isAlive(first.pid)).toBe(false);
  await staying.end({ timeout: 0 });

  await using second = await startPostgres({ dataDir, fsync: false });
  const rows = await withClient(second.url, (sql) => sql`SELECT id FROM kept`);
  expect([...rows]).toEqual([{ id: 1 }]);
});

it("lets nobody in without the password", async () => {
  await using server = await startPostgres({
    dataDir: folder,
    fsync: false,
    endsWithParent: true,
  });
  const url = new URL(server.url);
  url.password = "guess";
  await expect(withClient(url.href, (sql) => sql`SELECT 1`)).rejects.toThrow(
    /password authentication failed/,
  );
});
