import postgres from "postgres";
import { expect, it } from "vitest";
import { createTestDatabase } from "./test-database.ts";
import { startTestNats } from "./test-nats.ts";

it("gives each caller an empty database of its own", async () => {
  await using one = await createTestDatabase();
  await using two = await createTestDatabase();
  const first = postgres(one.url, { max: 1, onclose: () => undefined });
  const second = postgres(two.url, { max: 1 });
  await first`CREATE TABLE only_here (id int)`;
  await expect(second`SELECT * FROM only_here`).rejects.toThrow(/does not exist/);
  await second.end();
  await one.drop();
  await first.end({ timeout: 0 });
  const gone = postgres(one.url, { max: 1 });
  await expect(gone`SELECT 1`).rejects.toThrow(/does not exist/);
  await gone.end();
});

it("gives each caller a NATS server of its own", async () => {
  await using one = await startTestNats();
  await using two = await startTestNats();
  expect(one.url).not.toBe(two.url);
});
