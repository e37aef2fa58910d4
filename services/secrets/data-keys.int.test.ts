import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { createTestDatabase, type TestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { openDataKeys, prepareDataKeys } from "./data-keys.ts";
import { deriveKeys } from "./keys.ts";

let database: TestDatabase;
let sql: Sql;
const { dataKeyWrapping } = deriveKeys("01".repeat(32));

/** As another process has them, which remembers nothing unless it is told to. */
const open = (lifetimeMs = 0, wrappingKey = dataKeyWrapping) =>
  openDataKeys({ sql, wrappingKey, lifetimeMs });
const newOwner = (organization: string = newId("organization")) => ({
  organization,
  owner: newId("session"),
});
const ownOf = (organization: string) => ({ organization, owner: organization });

beforeAll(async () => {
  database = await createTestDatabase();
  sql = openDatabase({ url: database.url });
  await Promise.all([prepareDataKeys(sql), prepareDataKeys(sql)]);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

describe("the keys of text", () => {
  it("are one for each owner, whoever makes it first", async () => {
    const owner = newOwner();
    const other = newOwner(owner.organization);
    const made = await Promise.all(Array.from({ length: 8 }, () => open().toSeal(owner)));
    expect(new Set(made.map((key) => key?.id)).size).toBe(1);
    expect(made[0]).not.toBeNull();
    const second = await open().toSeal(other);
    expect(second?.id).not.toBe(made[0]?.id);
    const unknown = newOwner(owner.organization);
    const found = await open().toOpen([other, unknown, owner]);
    expect(found.map((key) => key?.id)).toEqual([second?.id, undefined, made[0]?.id]);
  });

  it("are stored wrapped, and open for their owner and SECRETS_KEY only", async () => {
    const owner = newOwner();
    const thief = newOwner(owner.organization);
    const key = await open().toSeal(owner);
    const rows = await sql<{ wrappedKey: Buffer }[]>`
      SELECT wrapped_key AS "wrappedKey" FROM vault.data_keys
      WHERE organization_id = ${owner.organization}`;
    expect(rows).toHaveLength(2);
    for (const { wrappedKey } of rows) {
      expect(wrappedKey.includes(key?.secret.export() ?? Buffer.alloc(0))).toBe(false);
    }
    await sql`
      INSERT INTO vault.data_keys (organization_id, owner, wrapped_key)
      SELECT organization_id, ${thief.owner}, wrapped_key FROM vault.data_keys
      WHERE organization_id = ${owner.organization} AND owner = ${owner.owner}`;
    await expect(open().toOpen([thief])).rejects.toMatchObject({ code: "log_unavailable" });
    const wrong = open(0, deriveKeys("02".repeat(32)).dataKeyWrapping);
    await expect(wrong.toOpen([owner])).rejects.toMatchObject({ code: "configuration_invalid" });
  });

  it("are gone for good once erased, and who did it first is known", async () => {
    const owner = newOwner();
    const neighbour = newOwner(owner.organization);
    await open().toSeal(owner);
    const kept = await open().toSeal(neighbour);
    const first = await open().erase(owner, "alice");
    expect(await open().erase(owner, "bob")).toEqual(first);
    expect(first.by).toBe("alice");
    expect(await open().toSeal(owner)).toBeNull();
    const [gone, there] = await open().toOpen([owner, neighbour]);
    expect(gone).toBeNull();
    expect(there?.id).toBe(kept?.id);
    // Also of an owner that never had one.
    const unborn = newOwner(owner.organization);
    await open().erase(unborn, "alice");
    expect(await open().toSeal(unborn)).toBeNull();
  });

  it("are all gone with their organisation's, those too that are made at the same time", async () => {
    const { organization } = newOwner();
    const owners = Array.from({ length: 20 }, () => newOwner(organization));
    await open().toSeal(owners[0] ?? newOwner());
    await Promise.all([
      ...owners.map((owner) => open().toSeal(owner)),
      open().erase(ownOf(organization), "alice"),
    ]);
    expect(await open().toOpen([ownOf(organization), ...owners])).toEqual(
      Array.from({ length: 21 }, () => null),
    );
    expect(await open().toSeal(newOwner(organization))).toBeNull();
  });

  it("are remembered for their lifetime and no longer, but for the process that erases", async () => {
    const owner = newOwner();
    const [eraser, patient, hasty] = [open(60_000), open(60_000), open(50)];
    const keys = await Promise.all([eraser, patient, hasty].map((each) => each.toSeal(owner)));
    expect(keys.every((key) => key !== null)).toBe(true);
    await eraser.erase(owner, "alice");
    expect(await eraser.toOpen([owner])).toEqual([null]);
    expect(await patient.toOpen([owner])).not.toEqual([null]);
    await vi.waitFor(async () => expect(await hasty.toOpen([owner])).toEqual([null]), 30_000);
  });

  it("cannot be had while the database is away, which is told as such", async () => {
    const away = openDatabase({ url: database.url });
    await away.end();
    const keys = openDataKeys({ sql: away, wrappingKey: dataKeyWrapping });
    await expect(keys.toSeal(newOwner())).rejects.toMatchObject({ code: "log_unavailable" });
  });
});
