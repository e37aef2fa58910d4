import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "postgres";
import { createTestDatabase, type TestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { type Identity, openIdentity } from "./identity.ts";

let database: TestDatabase;
let sql: Sql;
let now = new Date();
const accessTokenKey = new Uint8Array(32).fill(7);
const open = (): Promise<Identity> => openIdentity({ sql, accessTokenKey, now: () => now });
const moveClock = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
const hour = 60 * 60 * 1000;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = openDatabase({ url: database.url });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

describe("identity", () => {
  it("has one first owner, however many processes start on an empty database", async () => {
    const processes = await Promise.all([open(), open(), open()]);
    const owners = await Promise.all(processes.map((identity) => identity.ensureFirstOwner()));
    expect(new Set(owners.map(({ id }) => id)).size).toBe(1);
    expect(owners[0]).toMatchObject({ role: "owner", organizationName: "Default" });
    expect(await (await open()).ensureFirstOwner()).toEqual(owners[0]);
  });

  it("keeps no sign-in token that could be used", async () => {
    const identity = await open();
    const token = await identity.issueSignInToken((await identity.ensureFirstOwner()).id);
    const rows = await sql`SELECT * FROM identity.sign_in_tokens`;
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows.some((row) => (row["token_hash"] as Buffer).toString("utf8").includes(token))).toBe(
      false,
    );
  });

  it("forgets a sign-in token after a day, and an access token after 12 hours", async () => {
    const identity = await open();
    const owner = await identity.ensureFirstOwner();
    const late = await identity.issueSignInToken(owner.id);
    moveClock(23 * hour);
    const { accessToken, expiresAt } = await identity.signIn(
      await identity.issueSignInToken(owner.id),
    );
    moveClock(hour + 1);
    await expect(identity.signIn(late)).rejects.toMatchObject({ code: "token_expired" });
    expect(await identity.userOf(accessToken)).toEqual(owner);
    now = new Date(expiresAt);
    await expect(identity.userOf(accessToken)).rejects.toMatchObject({ code: "token_expired" });
  });

  it("reads a role anew within 5 seconds, whatever the token says", async () => {
    const identity = await open();
    const { organizationId } = await identity.ensureFirstOwner();
    const person = { email: "admin@example.com", name: "Admin", role: "admin" } as const;
    const { user, signInToken } = await identity.addUser(organizationId, person);
    const { accessToken } = await identity.signIn(signInToken);
    expect(await identity.userOf(accessToken)).toMatchObject({ role: "admin" });
    await sql`UPDATE identity.users SET role = 'member' WHERE id = ${user.id}`;
    moveClock(5_001);
    expect(await identity.userOf(accessToken)).toMatchObject({ role: "member" });
  });

  it("has an e-mail address once, and no organisation without its owner", async () => {
    const identity = await open();
    const organization = (name: string, email: string) =>
      identity.createOrganization({ name, owner: { name, email } });
    await organization("First", "Ann@example.com");
    await expect(organization("Second", "ann@example.com")).rejects.toMatchObject({
      code: "user_exists",
    });
    expect(await sql`SELECT id FROM identity.organizations WHERE name = 'Second'`).toHaveLength(0);
  });
});
