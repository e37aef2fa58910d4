import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { addUser } from "#contracts/http/identity";
import { listAudit } from "#contracts/http/operations";
import { listPrompts, withdrawPrompt } from "#contracts/http/prompts";
import {
  createSession,
  deleteSession,
  getSession,
  listSessions,
  openLiveChannel,
  promptSession,
} from "#contracts/http/sessions";
import { newId } from "#contracts/ids";
import type { ServiceScope } from "#contracts/identity/service-scope";
import { createClient } from "../../client/client.ts";
import { startTestGateway, type TestGateway } from "../../gateway/testing/test-gateway.ts";

let gateway: TestGateway;
let baseUrl: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => gateway.close());

const operator = { kind: "user", id: "alice", via: "cli" } as const;
const dayMs = 24 * 60 * 60 * 1000;
const issue = (name: string, scopes: readonly ServiceScope[], days = 30) =>
  gateway.serviceTokens.issue({
    ...{ organizationId: gateway.owner.user.organizationId, name, scopes, by: operator },
    expiresAt: new Date(Date.now() + days * dayMs),
  });
const clientOf = (serviceToken: string) => createClient({ baseUrl, serviceToken });

it("lets a program work with sessions under a name of its own, which the log keeps", async () => {
  const { token } = await issue("nightly", ["read", "sessions"]);
  const nightly = clientOf(token);
  const { sessionId } = await nightly.call(createSession, { body: { title: "Nightly" } });
  const params = { sessionId };
  const { position } = await nightly.call(promptSession, { params, body: { text: "Build it." } });
  await nightly.call(openLiveChannel, { params });
  const owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  const { prompts } = await owner.call(listPrompts, { params });
  const again = await issue("nightly", ["read"]);
  const accounts = await gateway.serviceTokens.list(gateway.owner.user.organizationId);
  const [first, second] = [token, again.token].map((each) => gateway.serviceTokens.verify(each));
  const { userId } = (await first) ?? {};
  // Another token of the same program: the same author.
  expect((await second)?.userId).toBe(userId);
  expect(prompts).toMatchObject([{ text: "Build it.", by: userId }]);
  expect(accounts.filter(({ name }) => name === "nightly")).toHaveLength(2);
  const query = { aggregateId: sessionId, after: position };
  const { entries } = await owner.call(listAudit, { query });
  expect(new Set(entries.map(({ actor }) => `${actor.kind} ${actor.id}`))).toEqual(
    new Set([`service ${userId}`]),
  );
});

it("does nothing that its scopes do not name, and nothing that needs an admin", async () => {
  const sessionId = await gateway.createSession();
  const reader = clientOf((await issue("reader", ["read"])).token);
  const worker = clientOf((await issue("worker", ["sessions"])).token);
  await reader.call(listSessions);
  await worker.call(getSession, { params: { sessionId } });
  const body = { email: "eve@example.com", name: "Eve", role: "member" } as const;
  for (const refused of [
    () => reader.call(createSession, { body: { title: "No" } }),
    () => reader.call(openLiveChannel, { params: { sessionId } }),
    () => worker.call(listAudit),
    () => worker.call(addUser, { body }),
    // Somebody else's session.
    () => worker.call(deleteSession, { params: { sessionId } }),
    () => reader.call(withdrawPrompt, { params: { sessionId, promptId: newId("prompt") } }),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: "forbidden" });
  }
});

it("sees nothing of another organisation", async () => {
  const { token } = await gateway.serviceTokens.issue({
    organizationId: gateway.stranger.user.organizationId,
    ...{ name: "nightly", scopes: ["read", "sessions"], expiresAt: new Date(Date.now() + dayMs) },
    by: operator,
  });
  const params = { sessionId: await gateway.createSession() };
  await expect(clientOf(token).call(getSession, { params })).rejects.toMatchObject({
    code: "session_not_found",
  });
});

it("is void once it is revoked, has expired or was signed by somebody else, and no access token", async () => {
  const { id, token } = await issue("revoked", ["read"]);
  const client = clientOf(token);
  await client.call(listSessions);
  expect(await gateway.serviceTokens.revoke(id, operator)).toBe(true);
  expect(await gateway.serviceTokens.revoke(id, operator)).toBe(false);
  const old = await issue("old", ["read"], -1);
  const valid = (await issue("valid", ["read"])).token;
  const [, payload = "", signature = ""] = valid.slice("svc1.".length).split(".");
  for (const [refused, code] of [
    [token, "unauthenticated"],
    [old.token, "token_expired"],
    [`${valid.slice(0, -4)}AAAA`, "unauthenticated"],
    [`svc1.eyJhbGciOiJub25lIn0.${payload}.`, "unauthenticated"],
    [`svc1.eyJhbGciOiJub25lIn0.${payload}.${signature}`, "unauthenticated"],
    [`svc1.${gateway.owner.token}`, "unauthenticated"],
    [valid.slice("svc1.".length), "unauthenticated"],
  ] as const) {
    await expect(clientOf(refused).call(listSessions)).rejects.toMatchObject({ code });
  }
});

it("is listed and on record with whoever has issued it, and whoever has revoked it", async () => {
  const { organizationId } = gateway.owner.user;
  const { id } = await issue("accounted", ["read"]);
  const listed = async () =>
    (await gateway.serviceTokens.list(organizationId)).find((token) => token.id === id);
  expect(await listed()).toMatchObject({ issuedBy: "alice", revokedAt: null, revokedBy: null });
  const bob = { kind: "user", id: "bob", via: "cli" } as const;
  await gateway.serviceTokens.revoke(id, bob);
  await gateway.serviceTokens.revoke(id, operator);
  expect(await listed()).toMatchObject({ issuedBy: "alice", revokedBy: "bob" });
  const owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  await vi.waitFor(
    async () => {
      const { entries } = await owner.call(listAudit, { query: { aggregateId: id } });
      expect(entries.map(({ eventTypes, actor }) => [...eventTypes, actor.id])).toEqual([
        ["ServiceTokenRevoked", "bob"],
        ["ServiceTokenIssued", "alice"],
      ]);
    },
    { timeout: 30_000 },
  );
});

it("is for an organisation that exists", async () => {
  await expect(
    gateway.serviceTokens.issue({
      ...{ organizationId: newId("organization"), name: "x", scopes: ["read"], by: operator },
      expiresAt: new Date(Date.now() + dayMs),
    }),
  ).rejects.toMatchObject({ code: "request_invalid" });
});
