/** Connectors that are changed in place: what stays with them, and what never goes along. */
import { pino } from "pino";
import type { z } from "zod";
import { afterAll, beforeAll, expect, it } from "vitest";
import { setActionMode } from "#contracts/http/actions";
import { changeConnector, createConnector, listConnectors } from "#contracts/http/connectors";
import { dryRunPolicy } from "#contracts/http/policy";
import { readHistory } from "#event-store/audit/history";
import { createTestDatabase, type TestDatabase } from "#infra/testing/test-database";
import { callHandler } from "../../actions/testing/call-handler.ts";
import { requireSource } from "../../actions/sources/registry.ts";
import { createRuleBudgets } from "../../policy/budgets/budgets.ts";
import { policyRoutes } from "../../policy/routes.ts";
import { type ConnectorWorld, newAdmin, startConnectorWorld } from "../testing/connector-world.ts";
import {
  answerWith,
  type MessageHandler,
  type ScriptedMcpServer,
  startScriptedMcpServer,
} from "../testing/scripted-mcp-server.ts";
import { contextOf } from "../testing/vendor-call.ts";
import { connectorRoutes } from "./routes.ts";

type Admin = ReturnType<typeof newAdmin>;
type Change = z.input<typeof changeConnector.body>;

let world: ConnectorWorld;
let handlers: ReturnType<typeof connectorRoutes>;
let database: TestDatabase;
let tracker: ScriptedMcpServer;
/** Has the same action, and takes any token. */
let twin: ScriptedMcpServer;
/** Has an action of the same name, which is another one. */
let other: ScriptedMcpServer;

const good = "Bearer good";

const guarded =
  (handler: MessageHandler): MessageHandler =>
  (message, response, asked) =>
    asked.headers.authorization === good
      ? handler(message, response, asked)
      : void response.writeHead(401).end();
const tools = (properties: object) =>
  answerWith({ tools: [{ name: "act", inputSchema: { type: "object", properties } }] });

beforeAll(async () => {
  world = await startConnectorWorld();
  database = await createTestDatabase();
  const budgets = createRuleBudgets(world.deps.store);
  const namesOf = () => Promise.resolve(new Map<string, string>()); // There are no people here.
  handlers = [
    ...connectorRoutes({ ...world.deps, log: pino({ level: "silent" }) }),
    ...policyRoutes({ ...world.deps, budgets, namesOf }),
  ];
  const text: MessageHandler = (message, response, asked) =>
    answerWith({ content: [{ type: "text", text: asked.path }] })(message, response, asked);
  tracker = await startScriptedMcpServer({
    "tools/list": guarded(tools({})),
    "tools/call": guarded(text),
  });
  twin = await startScriptedMcpServer({ "tools/list": tools({}), "tools/call": text });
  other = await startScriptedMcpServer({ "tools/list": tools({ all: { type: "boolean" } }) });
});
afterAll(async () => {
  await Promise.all([tracker.close(), twin.close(), other.close()]);
  await world.close();
  await database.drop();
});

const params = { connector: "tracker" };
const change = (principal: Admin, body: Change) =>
  callHandler(handlers, changeConnector, {
    principal,
    params,
    body: changeConnector.body.parse(body),
  });
const create = async (
  settings: z.input<typeof createConnector.body>["settings"] = bearer("good"),
): Promise<Admin> => {
  const principal = newAdmin();
  const body = createConnector.body.parse({ ...params, name: "Tracker", settings });
  await callHandler(handlers, createConnector, { principal, body });
  return principal;
};
const bearer = (token: string, url = tracker.mcpUrl) =>
  ({ kind: "mcp", url, auth: { kind: "bearer", token } }) as const;
const shown = async (principal: Admin) =>
  (await callHandler(handlers, listConnectors, { principal })).body.connectors[0];
const act = async (admin: Admin) =>
  (await requireSource(world.deps.registry, admin.organizationId, "tracker")).execute(
    "act",
    {},
    contextOf(),
  );

it("gets another name, path and token without losing the rest, and says whose doing it was", async () => {
  const admin = await create();
  const colleague = { ...newAdmin(), organizationId: admin.organizationId };
  await change(colleague, { name: "Issues" });
  await change(admin, { settings: { kind: "mcp", url: `${tracker.url}/v2` } });
  // The token that was not given again goes to the same server.
  expect(await act(admin)).toBe("/v2");
  await change(admin, {
    settings: { kind: "mcp", auth: { kind: "headers", headers: { authorization: good } } },
  });
  expect(await act(admin)).toBe("/v2");
  expect(await shown(admin)).toEqual({
    connector: "tracker",
    name: "Issues",
    target: { kind: "mcp", url: `${tracker.url}/v2`, auth: "headers" },
    authorized: true,
  });
  expect(await world.secretsOf(admin.organizationId)).toBe(1);

  const { organizationId: organization } = admin;
  const made = [];
  for await (const { commit } of readHistory(world.deps.store, { organization })) {
    made.push([commit.meta.actor.id, ...commit.events.map(({ type }) => type)]);
  }
  expect(made).toEqual([
    [admin.userId, "ConnectorCreated"],
    [colleague.userId, "ConnectorRenamed"],
    [admin.userId, "ConnectorChanged"],
    [admin.userId, "ConnectorChanged"],
  ]);
  expect(await world.loggedText()).not.toContain(good);
});

it("stays as it is when what it is to have does not work", async () => {
  const admin = await create();
  const before = await shown(admin);
  await expect(
    change(admin, { name: "Wrong", settings: { kind: "mcp", auth: { kind: "none" } } }),
  ).rejects.toMatchObject({ code: "integration_unauthorized" });
  await expect(change(admin, { settings: bearer("wrong") })).rejects.toMatchObject({
    code: "integration_unauthorized",
  });
  await expect(
    change(admin, { settings: bearer("good", "http://169.254.169.254/mcp") }),
  ).rejects.toMatchObject({ code: "address_forbidden" });
  await expect(
    change(admin, { settings: { kind: "postgres", user: "somebody" } }),
  ).rejects.toMatchObject({ code: "connector_kind_fixed" });
  expect(await shown(admin)).toEqual(before);
  expect(await act(admin)).toBe("/mcp");
  expect(await world.secretsOf(admin.organizationId)).toBe(1);
});

it("sends its token to no other server than the one that it was given for", async () => {
  const admin = await create();
  const elsewhere = { kind: "mcp", url: twin.mcpUrl } as const;
  await expect(change(admin, { settings: elsewhere })).rejects.toMatchObject({
    code: "connector_credentials_needed",
  });
  expect(twin.asked).toEqual([]);
  await change(admin, { settings: { ...elsewhere, auth: { kind: "none" } } });
  expect(await act(admin)).toBe("/mcp");
  expect(twin.asked.length).toBeGreaterThan(0);
  expect(twin.asked.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  expect(await world.secretsOf(admin.organizationId)).toBe(0);
});

it("keeps a database's password for that server, and tries a new one", async () => {
  const url = new URL(database.url);
  const settings = {
    kind: "postgres",
    host: "127.0.0.1",
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: decodeURIComponent(url.username),
    tls: "off",
  } as const;
  const password = decodeURIComponent(url.password);
  const admin = await create({ ...settings, password });
  await change(admin, { settings: { kind: "postgres", database: "postgres" } });
  expect(await shown(admin)).toMatchObject({ target: { ...settings, database: "postgres" } });
  for (const moved of [{ host: "127.0.0.2" }, { port: 1 }, { tls: "encrypt" as const }]) {
    await expect(change(admin, { settings: { kind: "postgres", ...moved } })).rejects.toMatchObject(
      { code: "connector_credentials_needed" },
    );
  }
  await expect(
    change(admin, { settings: { kind: "postgres", database: "is_not_there", password } }),
  ).rejects.toBeDefined();
  expect(await shown(admin)).toMatchObject({ target: { database: "postgres" } });
  expect(await world.secretsOf(admin.organizationId)).toBe(1);
});

it("stays under the policy that was made for it, and what changes with the server is asked about", async () => {
  const admin = await create();
  const named = { integration: "tracker", action: "act" };
  await callHandler(handlers, setActionMode, {
    principal: admin,
    params: named,
    body: { mode: "allow" },
  });
  const foreseen = async () =>
    (
      await callHandler(handlers, dryRunPolicy, {
        principal: admin,
        body: { ...named, sessionId: null, params: {} },
      })
    ).body;
  const settings = { kind: "mcp", auth: { kind: "none" } } as const;
  await change(admin, { settings: { ...settings, url: twin.mcpUrl } });
  expect(await foreseen()).toMatchObject({ mode: "allow", drifted: false });
  await change(admin, { settings: { ...settings, url: other.mcpUrl } });
  expect(await foreseen()).toMatchObject({ mode: "require_approval", drifted: true });
});

it("refuses a change that was thought for other settings than those that it meets", async () => {
  const admin = await create();
  const paths = ["/one", "/two", "/three"];
  const made = await Promise.allSettled(
    paths.map((path) => change(admin, { settings: bearer("good", `${tracker.url}${path}`) })),
  );
  const taken = paths.filter((_, index) => made[index]?.status === "fulfilled");
  expect(taken.length).toBeGreaterThan(0);
  expect(taken).toContain(await act(admin));
  for (const one of made) {
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "connector_changed" });
  }
  expect(await world.secretsOf(admin.organizationId)).toBe(1);
});
