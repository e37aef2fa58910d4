import { expect, it } from "vitest";
import { newId } from "#contracts/ids";
import type { Secrets } from "../../secrets/secrets.ts";
import { getCredentials } from "./credentials.ts";
import { addressOf } from "./settings.ts";

/** A fake: secrets of which there is one. */
const holding = (value: object): Secrets => ({
  getSecret: () => Promise.resolve(JSON.stringify(value)),
  putSecret: () => Promise.reject(new Error("Nothing is kept here.")),
  deleteSecret: () => Promise.reject(new Error("Nothing is forgotten here.")),
});
const key = { organization: newId("organization"), credentials: newId("credentials") };
const mcp = (url: string): string => addressOf({ kind: "mcp", url, auth: "headers" });
const database = (change: { port?: number; user?: string; tls?: "verify" | "off" } = {}): string =>
  addressOf({
    ...({ kind: "postgres", host: "db.example", port: 5432, database: "shop" } as const),
    ...({ user: "reader", tls: "verify" } as const),
    ...change,
  });

const headers = { authorization: "Bearer abc" };

it.each([mcp("https://tracker.example/mcp"), "https://tracker.example/mcp"])(
  "a token that was kept for %s goes to that server and to no other",
  async (address) => {
    const secrets = holding({ kind: "headers", address, headers });
    const get = (url: string) =>
      getCredentials(secrets, key, { kind: "headers", address: mcp(url) });
    expect(await get("https://tracker.example/v2")).toMatchObject({ headers });
    for (const url of [
      "https://tracker.example:8443/mcp",
      "http://tracker.example/mcp",
      "https://tracker.example.evil.test/mcp",
    ]) {
      await expect(get(url)).rejects.toMatchObject({ code: "integration_unauthorized" });
    }
  },
);

it.each([database(), JSON.stringify(["db.example", 5432, "shop", "reader", "verify"])])(
  "a password that was kept for %s goes to that server and to no other",
  async (address) => {
    const secrets = holding({ kind: "password", address, password: "abc" });
    const get = (to: string) => getCredentials(secrets, key, { kind: "password", address: to });
    expect(await get(database({ user: "other" }))).toMatchObject({ password: "abc" });
    for (const to of [database({ port: 5433 }), database({ tls: "off" })]) {
      await expect(get(to)).rejects.toMatchObject({ code: "integration_unauthorized" });
    }
  },
);
