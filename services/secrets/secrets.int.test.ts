import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { createTestDatabase, type TestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { deriveKeys } from "./keys.ts";
import { openSecrets } from "./secrets.ts";

let database: TestDatabase;
let sql: Sql;
const { secretWrapping } = deriveKeys("01".repeat(32));
const organization = newId("organization");

beforeAll(async () => {
  database = await createTestDatabase();
  sql = openDatabase({ url: database.url });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

describe("secrets", () => {
  it("come back as they were put, the newest of a name", async () => {
    const [secrets] = await Promise.all([
      openSecrets(sql, secretWrapping),
      openSecrets(sql, secretWrapping),
    ]);
    await secrets.putSecret({ organization, name: "key", value: "first" });
    await secrets.putSecret({ organization, name: "key", value: "zweiter 🔑" });
    expect(await secrets.getSecret({ organization, name: "key" })).toBe("zweiter 🔑");
    expect(await secrets.getSecret({ organization, name: "other" })).toBeNull();
    const rows = await sql<{ ciphertext: Buffer }[]>`SELECT ciphertext FROM vault.secrets`;
    expect(rows.map(({ ciphertext }) => ciphertext.toString("utf8")).join()).not.toContain(
      "zweiter",
    );
  });

  it("do not open for another organisation, another key, or after a change", async () => {
    const secrets = await openSecrets(sql, secretWrapping);
    const other = newId("organization");
    await secrets.putSecret({ organization, name: "bound", value: "value" });
    await sql`
      INSERT INTO vault.secrets (organization_id, name, key_id, wrapped_key, ciphertext)
      SELECT ${other}, name, key_id, wrapped_key, ciphertext FROM vault.secrets
      WHERE organization_id = ${organization} AND name = 'bound'`;
    await expect(secrets.getSecret({ organization: other, name: "bound" })).rejects.toThrow();
    const wrong = await openSecrets(sql, deriveKeys("02".repeat(32)).secretWrapping);
    await expect(wrong.getSecret({ organization, name: "bound" })).rejects.toThrow(
      "another SECRETS_KEY",
    );
    await sql`
      UPDATE vault.secrets SET ciphertext = set_byte(ciphertext, 14, get_byte(ciphertext, 14) # 1)
      WHERE organization_id = ${organization} AND name = 'bound'`;
    await expect(secrets.getSecret({ organization, name: "bound" })).rejects.toThrow();
  });
});
