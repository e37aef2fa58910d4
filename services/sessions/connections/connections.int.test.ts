/** Sessions that may use some of their organisation's connections only. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { getActionGuide, invokeAction, listAvailableActions } from "#contracts/http/actions";
import { createSession, getSession } from "#contracts/http/sessions";
import { DomainError } from "#contracts/errors";
import { newId, type SessionId } from "#contracts/ids";
import type { ActionSource } from "../../actions/sources/source.ts";
import { type Client, createClient } from "../../client/client.ts";
import { startTestGateway, type TestGateway } from "../../gateway/testing/test-gateway.ts";
import { validateConnections } from "./validate-connections.ts";

describe("over HTTP", () => {
  let gateway: TestGateway;
  let baseUrl: string;
  let owner: Client;
  beforeAll(async () => {
    gateway = await startTestGateway();
    baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
    owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  });
  afterAll(() => gateway.close());

  const availableTo = async (sessionId: SessionId): Promise<string[]> => {
    const { integrations } = await owner.call(listAvailableActions, { params: { sessionId } });
    return integrations.map(({ id }) => id);
  };
  const invoke = (sessionId: SessionId) =>
    createClient({ baseUrl, accessToken: gateway.sandboxToken(sessionId) }).call(invokeAction, {
      params: { sessionId },
      body: { integration: "demo", action: "list_releases", params: {} },
    });

  it("has what was named and can be used, and says what was left out, also to who asks again", async () => {
    const request = {
      headers: { "idempotency-key": newId("command") },
      body: { title: "Some", connections: ["nobody-knows-it", "demo"] },
    };
    const created = await owner.call(createSession, request);
    const { sessionId, position } = created;
    const excluded = [
      expect.objectContaining({ connection: "nobody-knows-it", code: "integration_not_found" }),
    ];
    expect(created.excludedConnections).toEqual(excluded);
    const session = await owner.call(getSession, {
      params: { sessionId },
      query: { after: position },
    });
    expect(session).toMatchObject({ connections: ["demo"], excludedConnections: excluded });
    expect(await availableTo(sessionId)).toEqual(["demo"]);

    const again = {
      ...request,
      body: { ...request.body, connections: ["demo", "nobody-knows-it"] },
    };
    expect(await owner.call(createSession, again)).toMatchObject({
      sessionId,
      excludedConnections: excluded,
    });
    const other = { ...request, body: { ...request.body, connections: ["demo"] } };
    await expect(owner.call(createSession, other)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  it("is neither offered nor let use what was not named", async () => {
    const body = { title: "None", connections: [] };
    const { sessionId } = await owner.call(createSession, { body });
    expect(await availableTo(sessionId)).toEqual([]);
    const refused = { code: "connection_not_granted", status: 403 };
    await expect(invoke(sessionId)).rejects.toMatchObject(refused);
    const params = { sessionId, integration: "demo" };
    await expect(owner.call(getActionGuide, { params })).rejects.toMatchObject(refused);
  });

  it("has all of the organisation's where none are named", async () => {
    const { sessionId, position, excludedConnections } = await owner.call(createSession, {
      body: { title: "All" },
    });
    expect(excludedConnections).toEqual([]);
    expect(await availableTo(sessionId)).toEqual(["demo"]);
    const query = { after: position };
    expect(await owner.call(getSession, { params: { sessionId }, query })).toMatchObject({
      connections: null,
    });
  });
});

const sourceThat = (id: string, behaviour: Partial<ActionSource>): ActionSource => ({
  id,
  name: id,
  list: () => Promise.resolve([]),
  guide: () => Promise.resolve(""),
  execute: () => Promise.reject(new Error("Nothing is executed here.")),
  ...behaviour,
});

it("leaves out what does not answer, what refuses, and what breaks, without telling secrets", async () => {
  const expired = new DomainError("integration_unauthorized", "Connect it again.");
  const sources = [
    sourceThat("good", {}),
    sourceThat("silent", { list: () => new Promise(() => undefined) }),
    sourceThat("expired", { check: () => Promise.reject(expired) }),
    sourceThat("broken", { list: () => Promise.reject(new Error("a password is in here")) }),
    sourceThat("not asked for", { list: () => Promise.reject(new Error("It was asked.")) }),
  ];
  const warn = vi.fn();
  const validated = await validateConnections(
    { registry: { sourcesOf: () => Promise.resolve(sources) }, log: { warn }, connectionsMs: 200 },
    newId("organization"),
    ["good", "silent", "expired", "broken", "good"],
  );
  expect(validated.usable).toEqual(["good"]);
  expect(validated.excluded.map(({ connection, code }) => [connection, code])).toEqual([
    ["silent", "integration_timed_out"],
    ["expired", "integration_unauthorized"],
    ["broken", "internal"],
  ]);
  expect(JSON.stringify(validated)).not.toContain("password");
  expect(warn).toHaveBeenCalledTimes(3);
});
