import { afterAll, beforeAll, expect, it } from "vitest";
import * as http from "#contracts/http/configurations";
import { createSession, getSession, getSessionTelemetry } from "#contracts/http/sessions";
import { type Client, createClient } from "../client/client.ts";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";

let gateway: TestGateway;
let owner: Client;
let member: Client;
let stranger: Client;
beforeAll(async () => {
  gateway = await startTestGateway();
  const baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  member = createClient({ baseUrl, accessToken: gateway.member.token });
  stranger = createClient({ baseUrl, accessToken: gateway.stranger.token });
});
afterAll(() => gateway.close());

const body = {
  name: "Shop",
  repositories: [
    { url: "https://git.example.org/shop.git", ref: "main", path: "shop" },
    { url: "https://git.example.org/docs.git", path: "docs" },
  ],
  envFiles: { files: [{ path: "shop/.env", variables: [{ name: "TOKEN" }] }] },
};
const create = (key: string) =>
  owner.call(http.createConfiguration, { headers: { "idempotency-key": key }, body });

it("admins create, change and archive configurations, and everybody reads those of their own", async () => {
  const { configurationId, position: after } = await create("read");
  expect((await create("read")).configurationId).toBe(configurationId);
  const params = { configurationId };
  const shown = await member.call(http.getConfiguration, { params, query: { after } });
  expect(shown).toMatchObject({
    name: "Shop",
    repositories: [{ path: "shop" }, { path: "docs", ref: "HEAD" }],
    envFiles: { files: [{ variables: [{ name: "TOKEN", required: true }] }] },
    previewPorts: [],
    setup: { status: "needed", sessionId: null },
    snapshot: null,
    createdBy: gateway.owner.user.id,
    archived: false,
  });

  const changes = { name: "Store", previewPorts: [3000] };
  const changed = await owner.call(http.changeConfiguration, { params, body: changes });
  expect(
    await owner.call(http.getConfiguration, { params, query: { after: changed.position } }),
  ).toMatchObject({ ...changes, repositories: shown.repositories });

  const archived = await owner.call(http.archiveConfiguration, { params });
  const list = async (query: { archived?: "true" }) => {
    const answer = await owner.call(http.listConfigurations, {
      query: { ...query, after: archived.position },
    });
    return answer.configurations.map(({ id }) => id);
  };
  expect(await list({})).not.toContain(configurationId);
  expect(await list({ archived: "true" })).toContain(configurationId);
});

it("nobody else changes them, and nobody outside sees them", async () => {
  const { configurationId, position: after } = await create("refused");
  const params = { configurationId };
  const rename = { params, body: { name: "Mine" } };
  await expect(member.call(http.createConfiguration, { body })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(member.call(http.changeConfiguration, rename)).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(stranger.call(http.changeConfiguration, rename)).rejects.toMatchObject({
    code: "configuration_not_found",
  });
  await owner.call(http.getConfiguration, { params, query: { after } });
  await expect(stranger.call(http.getConfiguration, { params })).rejects.toMatchObject({
    code: "configuration_not_found",
  });
  await expect(stranger.call(createSession, { body: { configurationId } })).rejects.toMatchObject({
    code: "configuration_not_found",
  });
});

it("a session of one shows where it comes from, and begins with nothing to account for", async () => {
  const { configurationId } = await create("session");
  const made = await member.call(createSession, { body: { configurationId } });
  const query = { after: made.position };
  const params = { sessionId: made.sessionId };
  expect(await member.call(getSession, { params, query })).toMatchObject({
    title: "Shop",
    kind: "coding",
    configurationId,
    parentId: null,
    repository: { url: "https://git.example.org/shop.git", ref: "main" },
  });
  expect(await member.call(getSessionTelemetry, { params, query })).toMatchObject({
    messages: 0,
    activeSeconds: 0,
    latestTask: null,
    cost: 0,
  });
  const both = { configurationId, repository: { url: "https://git.example.org/x.git" } };
  await expect(member.call(createSession, { body: both })).rejects.toMatchObject({
    code: "request_invalid",
  });
});
