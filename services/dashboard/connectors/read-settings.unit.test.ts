import { expect, it } from "vitest";
import { changeConnector, connectorSettingsSchema } from "#contracts/http/connectors";
import { keptAuth, readChange, readSettings } from "./read-settings.ts";

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

it("changes only what was typed of what is secret", () => {
  const open = { host: "db.example", database: "shop", user: "reader", tls: "verify" };
  const database = { ...open, port: "5432" };
  const changes = [
    readChange("mcp", formOf({ url, auth: keptAuth })),
    readChange("mcp", formOf({ url, auth: "bearer", token: "abc" })),
    readChange("postgres", formOf({ ...database, password: "" })),
    readChange("postgres", formOf({ ...database, password: "new" })),
  ];
  expect(changes).toEqual([
    { kind: "mcp", url },
    { kind: "mcp", url, auth: { kind: "bearer", token: "abc" } },
    { kind: "postgres", ...open, port: 5432 },
    { kind: "postgres", ...open, port: 5432, password: "new" },
  ]);
  for (const settings of changes) {
    expect(changeConnector.body.safeParse({ settings }).success).toBe(true);
  }
});
