import { expect, it } from "vitest";
import { connectorSettingsSchema } from "#contracts/http/connectors";
import { readSettings } from "./read-settings.ts";

const formOf = (fields: Readonly<Record<string, string>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};
const url = "https://tracker.example/mcp";

it.each([
  [{ auth: "none" }, { kind: "none" }],
  [
    { auth: "bearer", token: " abc " },
    { kind: "bearer", token: "abc" },
  ],
  [
    { auth: "headers", header: "X-Api-Key", headerValue: "abc" },
    { kind: "headers", headers: { "X-Api-Key": "abc" } },
  ],
  [{ auth: "oauth", clientId: "", clientSecret: "", scope: "" }, { kind: "oauth" }],
  [
    { auth: "oauth", clientId: "us", clientSecret: "s", scope: "read act" },
    { kind: "oauth", clientId: "us", clientSecret: "s", scope: "read act" },
  ],
])("reads an MCP server that asks for %o", (fields, auth) => {
  const read = readSettings("mcp", formOf({ url: ` ${url} `, ...fields }));
  expect(read).toEqual({ kind: "mcp", url, auth });
  expect(connectorSettingsSchema.safeParse(read).success).toBe(true);
});

it("reads a database, and leaves its password as it was typed", () => {
  const database = { host: "db.example", database: "shop", user: "reader", tls: "encrypt" };
  const form = formOf({ ...database, port: "5433", password: " a b " });
  const read = readSettings("postgres", form);
  expect(read).toEqual({ kind: "postgres", ...database, port: 5433, password: " a b " });
  expect(connectorSettingsSchema.safeParse(read).success).toBe(true);
});
