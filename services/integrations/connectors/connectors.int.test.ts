import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  connectorSettingsSchema,
  createConnector,
  listConnectors,
  removeConnector,
  testConnector,
} from "#contracts/http/connectors";
import type { z } from "zod";
import { callHandler } from "../../actions/testing/call-handler.ts";
import { requireSource } from "../../actions/sources/registry.ts";
import {
  answerWith,
  type ScriptedMcpServer,
  startScriptedMcpServer,
} from "../testing/scripted-mcp-server.ts";
import { contextOf } from "../testing/vendor-call.ts";
import { type ConnectorWorld, newAdmin, startConnectorWorld } from "../testing/connector-world.ts";
import { connectorRoutes } from "./routes.ts";

let world: ConnectorWorld;
let server: ScriptedMcpServer;
let handlers: ReturnType<typeof connectorRoutes>;

beforeAll(async () => {
  world = await startConnectorWorld();
  handlers = connectorRoutes({ ...world.deps, log: pino({ level: "silent" }) });
  server = await startScriptedMcpServer({
    "tools/list": answerWith({ tools: [{ name: "act", inputSchema: { type: "object" } }] }),
    "tools/call": (message, response, asked) =>
      answerWith({ content: [{ type: "text", text: asked.headers.authorization ?? "none" }] })(
        message,
        response,
        asked,
      ),
  });
});
afterAll(async () => {
  await server.close();
  await world.close();
});

type Admin = ReturnType<typeof newAdmin>;
type Settings = z.input<typeof connectorSettingsSchema>;

const settingsOf = (token: string, url = server.mcpUrl) =>
  ({ kind: "mcp", url, auth: { kind: "bearer", token } }) as const;
const create = (principal: Admin, connector: string, settings: Settings = settingsOf("first")) =>
  callHandler(handlers, createConnector, {
    principal,
    body: createConnector.body.parse({ connector, name: "Tracker", settings }),
  });
const sourceOf = (admin: Admin, connector = "tracker") =>
  requireSource(world.deps.registry, admin.organizationId, connector);
const act = async (admin: Admin) => (await sourceOf(admin)).execute("act", {}, contextOf());

it("gives the organisation that makes it its actions, and no other one", async () => {
  const [admin, other] = [newAdmin(), newAdmin()];
  await create(admin, "tracker");
  expect(await act(admin)).toBe("Bearer first");
  await expect(sourceOf(other)).rejects.toMatchObject({ code: "integration_not_found" });

  const { body } = await callHandler(handlers, listConnectors, { principal: admin });
  expect(body.connectors).toEqual([
    {
      connector: "tracker",
      name: "Tracker",
      target: { kind: "mcp", url: server.mcpUrl, auth: "headers" },
      authorized: true,
    },
  ]);
  expect(await world.loggedText()).not.toMatch(/Bearer|first/);
});

it("takes the actions and the credentials away when it is removed, however often", async () => {
  const admin = newAdmin();
  await create(admin, "tracker");
  const source = await sourceOf(admin);
  const request = { principal: admin, params: { connector: "tracker" } };
  await callHandler(handlers, removeConnector, request);
  await callHandler(handlers, removeConnector, request);
  await expect(sourceOf(admin)).rejects.toMatchObject({ code: "integration_not_found" });
  await expect(source.execute("act", {}, contextOf())).rejects.toMatchObject({
    code: "integration_unauthorized",
  });
  expect(await world.secretsOf(admin.organizationId)).toBe(0);
});

it("is made once of those that are made at the same time, and with its own credentials", async () => {
  const admin = newAdmin();
  const tokens = ["one", "two", "three", "four"];
  const made = await Promise.allSettled(
    tokens.map((token) => create(admin, "tracker", settingsOf(token))),
  );
  const winner = made.findIndex(({ status }) => status === "fulfilled");
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await act(admin)).toBe(`Bearer ${tokens[winner]}`);
  expect(await world.secretsOf(admin.organizationId)).toBe(1);
});

it("does not take the name of something else", async () => {
  const admin = newAdmin();
  for (const name of ["github", "agent", "configured"]) {
    await expect(create(admin, name)).rejects.toMatchObject({ code: "connector_exists" });
  }
  const params = { connector: "nothing" };
  await expect(
    callHandler(handlers, testConnector, { principal: admin, params }),
  ).rejects.toMatchObject({ code: "connector_not_found" });
});

it("is tried before it is added", async () => {
  const admin = newAdmin();
  const forbidden = { code: "address_forbidden" };
  const inside = settingsOf("x", "http://169.254.169.254/mcp");
  await expect(create(admin, "inside", inside)).rejects.toMatchObject(forbidden);
  const database = { kind: "postgres", host: "169.254.169.254", database: "shop" } as const;
  const reader = { user: "reader", password: "secret" };
  await expect(create(admin, "shop", { ...database, ...reader })).rejects.toMatchObject(forbidden);
  const { body } = await callHandler(handlers, listConnectors, { principal: admin });
  expect(body.connectors).toEqual([]);
  expect(await world.secretsOf(admin.organizationId)).toBe(0);
});

it("is tested by connecting, and says what is wrong", async () => {
  const admin = newAdmin();
  const params = { connector: "tracker" };
  const test = async () =>
    (await callHandler(handlers, testConnector, { principal: admin, params })).body;
  const passing = await startScriptedMcpServer({
    "tools/list": answerWith({ tools: [{ name: "act", inputSchema: { type: "object" } }] }),
  });
  try {
    await create(admin, "tracker", settingsOf("x", passing.mcpUrl));
    expect(await test()).toMatchObject({ problem: null, actions: [{ id: "act" }] });
  } finally {
    await passing.close();
  }
  expect(await test()).toMatchObject({ problem: { code: "integration_unreachable" } });
});

it("has an address that opens nothing by itself", () => {
  const refused = ["https://user:word@a.test/", "https://a.test/?key=1", "file:///etc/passwd"];
  for (const url of refused) {
    expect(connectorSettingsSchema.safeParse(settingsOf("x", url)).success).toBe(false);
  }
  const host = { ...settingsOf("x"), auth: { kind: "headers", headers: { Host: "a.test" } } };
  expect(connectorSettingsSchema.safeParse(host).success).toBe(false);
});
