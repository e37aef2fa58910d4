import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  authorizationCallback,
  authorizeConnector,
  type ConnectorSettingsChange,
  finishAuthorization,
  type ReturnedAuthorization,
} from "#contracts/http/connectors";
import { newId } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { requireSource } from "../../../actions/sources/registry.ts";
import { callHandler } from "../../../actions/testing/call-handler.ts";
import {
  type AuthorizedMcpServer,
  startAuthorizedMcpServer,
} from "../../testing/authorized-mcp-server.ts";
import {
  type ConnectorWorld,
  newAdmin,
  startConnectorWorld,
} from "../../testing/connector-world.ts";
import { answerWith, startScriptedMcpServer } from "../../testing/scripted-mcp-server.ts";
import { contextOf } from "../../testing/vendor-call.ts";
import { requireConnector } from "../commands.ts";
import { changeConnector, createConnector } from "../give-settings.ts";
import { authorizationRoutes } from "./routes.ts";

type Admin = ReturnType<typeof newAdmin>;

let world: ConnectorWorld;
let server: AuthorizedMcpServer;
let handlers: ReturnType<typeof authorizationRoutes>;

beforeAll(async () => {
  world = await startConnectorWorld();
  handlers = authorizationRoutes({
    ...world.deps,
    redirectUrl: () => "https://control.example.test/v1/connectors/authorization/callback",
    finishPath: finishAuthorization.path,
  });
});
beforeEach(async () => {
  server = await startAuthorizedMcpServer();
});
afterEach(() => server.close());
afterAll(() => world.close());

const metaOf = ({ userId }: Admin) =>
  newCommandMeta({ actor: { kind: "user", id: userId, via: "test" } });
const settingsOf = (url: string) => ({ kind: "mcp", url, auth: { kind: "oauth" } }) as const;
const keyOf = ({ organizationId: organization }: Admin) => ({ organization, connector: "tracker" });
const create = (admin: Admin) =>
  createConnector(
    world.deps,
    keyOf(admin),
    { name: "Tracker", settings: settingsOf(server.mcp.mcpUrl) },
    metaOf(admin),
  );
const change = (admin: Admin, settings: ConnectorSettingsChange) =>
  changeConnector(world.deps, keyOf(admin), { settings }, metaOf(admin));
const begin = async (admin: Admin): Promise<string> => {
  const request = { principal: admin, params: { connector: "tracker" } };
  return (await callHandler(handlers, authorizeConnector, request)).body.authorizationUrl;
};
const finish = (admin: Admin, query: ReturnedAuthorization) =>
  callHandler(handlers, finishAuthorization, { principal: admin, query });
const authorized = async (): Promise<Admin> => {
  const admin = newAdmin();
  await create(admin);
  await finish(admin, server.consent(await begin(admin)));
  return admin;
};
const act = async (admin: Admin, registry = world.deps.registry) => {
  const source = await requireSource(registry, admin.organizationId, "tracker");
  return source.execute("act", {}, contextOf());
};
const isAuthorized = async ({ organizationId: organization }: Admin): Promise<boolean> =>
  (await requireConnector(world.deps.store, { organization, connector: "tracker" })).authorized;

describe("a connector that people authorize", () => {
  it("can be used once a person has done so, by every process", async () => {
    const admin = newAdmin();
    await create(admin);
    expect(await isAuthorized(admin)).toBe(false);
    await expect(act(admin)).rejects.toMatchObject({ code: "integration_unauthorized" });

    const url = new URL(await begin(admin));
    expect(url.origin).toBe(server.authorization.url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      code_challenge_method: "S256",
      resource: server.mcp.mcpUrl,
      scope: "act",
    });
    const returned = server.consent(url.href);
    const reply = await finish(admin, returned);
    expect(reply.body).toEqual({ connector: "tracker", authorized: true });
    expect(await isAuthorized(admin)).toBe(true);
    expect(await act(admin)).toBe("done");
    expect(await act(admin, world.anotherProcess())).toBe("done");
    expect(server.clients.size).toBe(1);
    // The way back is good once.
    await expect(finish(admin, returned)).rejects.toMatchObject({
      code: "connector_authorization_invalid",
    });
  });

  it("is authorized by whoever has begun it, in time and for the settings of then", async () => {
    const admin = newAdmin();
    await create(admin);
    const invalid = { code: "connector_authorization_invalid" };
    const returned = server.consent(await begin(admin));
    const colleague = { ...admin, userId: newId("user") };
    const stranger = newAdmin();
    for (const other of [colleague, stranger]) {
      await expect(finish(other, returned)).rejects.toMatchObject(invalid);
    }
    const forged = { ...returned, state: "tracker.forged" };
    await expect(finish(admin, forged)).rejects.toMatchObject(invalid);
    await change(admin, settingsOf(server.mcp.mcpUrl));
    await expect(finish(admin, returned)).rejects.toMatchObject(invalid);

    const late = server.consent(await begin(admin));
    world.moveClock(10 * 60_000);
    await expect(finish(admin, late)).rejects.toMatchObject(invalid);
    const mixedUp = { ...server.consent(await begin(admin)), iss: "https://other.example.test" };
    await expect(finish(admin, mixedUp)).rejects.toMatchObject(invalid);
    const { code: _, ...returnedWithout } = server.consent(await begin(admin));
    await expect(
      finish(admin, { ...returnedWithout, error: "access_denied" }),
    ).rejects.toMatchObject({ code: "connector_authorization_failed" });
    expect(await isAuthorized(admin)).toBe(false);
    await expect(act(admin)).rejects.toMatchObject({ code: "integration_unauthorized" });
  });

  it("gets new tokens before the old ones end, and when they are refused", async () => {
    const admin = await authorized();
    const asked = () => server.authorization.asked.filter(({ path }) => path === "/token").length;
    expect(asked()).toBe(1);
    world.moveClock(3_590_000);
    expect(await act(admin)).toBe("done");
    expect(asked()).toBe(2);
    server.expireAccess();
    expect(await act(admin)).toBe("done");
    expect(asked()).toBe(3);
  });

  it("is refreshed once, however many processes find its token too old", async () => {
    const admin = await authorized();
    server.expireAccess();
    const registries = Array.from({ length: 4 }, () => world.anotherProcess());
    // A refresh token that was sent twice would have lost the connector.
    const done = await Promise.all(
      [...registries, ...registries].map((registry) => act(admin, registry)),
    );
    expect(new Set(done)).toEqual(new Set(["done"]));
    expect(await act(admin)).toBe("done");
  });

  it("has to be authorized again when the server takes everything back", async () => {
    const admin = await authorized();
    server.revoke();
    await expect(act(admin)).rejects.toMatchObject({ code: "integration_unauthorized" });
    await finish(admin, server.consent(await begin(admin)));
    expect(await act(admin)).toBe("done");
  });

  it("keeps what a person has given while its server stays, and takes it to no other one", async () => {
    const admin = await authorized();
    await change(admin, { kind: "mcp", url: `${server.mcp.url}/v2` });
    expect(await isAuthorized(admin)).toBe(true);
    expect(await act(admin)).toBe("done");

    const other = await startScriptedMcpServer({ "tools/list": answerWith({ tools: [] }) });
    try {
      await change(admin, { kind: "mcp", url: other.mcpUrl });
      expect(await isAuthorized(admin)).toBe(false);
      await expect(act(admin)).rejects.toMatchObject({ code: "integration_unauthorized" });
      expect(other.asked).toEqual([]);
      // What is left is that it wants to be authorized; the grant itself is gone.
      expect(await world.secretsOf(admin.organizationId)).toBe(1);
      await change(admin, { kind: "mcp", url: server.mcp.mcpUrl });
      await expect(act(admin)).rejects.toMatchObject({ code: "integration_unauthorized" });
    } finally {
      await other.close();
    }
  });

  it("does not look for its authorization server inside the network", async () => {
    const admin = newAdmin();
    await create(admin);
    server.mcp.answer((_, response) => {
      const inside = "http://169.254.169.254/latest/meta-data";
      response.setHeader("www-authenticate", `Bearer resource_metadata="${inside}"`);
      response.writeHead(401).end();
    });
    await expect(begin(admin)).rejects.toMatchObject({ code: "address_forbidden" });
  });
});

it("the page that people come back to goes on to where they are known, and nowhere else", async () => {
  const query = { state: '"><script>', code: "a&b", error: undefined };
  const { body, headers } = await callHandler(handlers, authorizationCallback, {
    principal: null,
    query,
  });
  expect(headers).toEqual({ "content-type": "text/html; charset=utf-8" });
  expect(body).not.toContain("<script>");
  expect(body).toContain(
    "url=/v1/connectors/authorization/finish?state=%22%3E%3Cscript%3E&amp;code=a%26b",
  );
});
