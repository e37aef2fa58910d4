import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { addUser, getMe, signIn } from "#contracts/http/identity";
import { getProjections, listAudit } from "#contracts/http/operations";
import { createSession, deleteSession, getSession, listSessions } from "#contracts/http/sessions";
import { positionSchema } from "#contracts/position";
import type { SessionCommand } from "#contracts/session/commands";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { loadAggregate } from "#event-store/aggregates/load";
import { sessionsProjection } from "#projections/sessions/projection";
import { createClient } from "../client/client.ts";
import { verifyLiveTicket } from "../identity/signed-tokens.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import { brokenRoute, startTestGateway, type TestGateway } from "./testing/test-gateway.ts";

const metricsToken = "metrics-token-of-the-test";
const secret = "postgres://user:hunter2@db";
let gateway: TestGateway;
let dashboardDir: string;
let baseUrl: string;

beforeAll(async () => {
  dashboardDir = await mkdtemp(join(tmpdir(), "proliferate-dashboard-"));
  await mkdir(join(dashboardDir, "assets"));
  await writeFile(join(dashboardDir, "index.html"), "<title>the page</title>");
  await writeFile(join(dashboardDir, "assets", "app-1a2b.js"), "export {};");
  gateway = await startTestGateway({ dashboardDir, metricsToken, extra: [brokenRoute(secret)] });
  baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await gateway.close();
  await rm(dashboardDir, { recursive: true, force: true });
});

const clientOf = (accessToken?: string) =>
  createClient(accessToken === undefined ? { baseUrl } : { baseUrl, accessToken });

describe("sessions over HTTP", () => {
  it("are created once for a key, and read back at the position of the write", async () => {
    const client = clientOf(gateway.owner.token);
    const request = {
      headers: { "idempotency-key": "one" },
      body: { title: "Once", prompt: "Hi" },
    };
    const first = await client.call(createSession, request);
    expect(await client.call(createSession, request)).toEqual(first);
    const { sessionId, position } = first;
    const { body, position: stands } = await client.request(getSession, {
      params: { sessionId },
      query: { after: position },
    });
    expect(body).toMatchObject({ id: sessionId, title: "Once", status: "pending", openPrompts: 1 });
    expect(positionSchema.parse(stands)).toBeTruthy();
    await expect(
      client.call(createSession, { ...request, body: { title: "Twice" } }),
    ).rejects.toMatchObject({ code: "idempotency_key_reused", status: 409 });
  });

  it("belong to one organisation", async () => {
    const { sessionId, position } = await clientOf(gateway.owner.token).call(createSession, {
      body: { title: "Ours" },
    });
    const stranger = clientOf(gateway.stranger.token);
    const { sessions } = await stranger.call(listSessions, { query: { after: position } });
    expect(sessions).toEqual([]);
    await expect(stranger.call(getSession, { params: { sessionId } })).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  it("are audited with who did it and by which request", async () => {
    const client = clientOf(gateway.owner.token);
    const { sessionId } = await client.call(createSession, { body: { title: "Short-lived" } });
    const reply = await gateway.send({
      method: "DELETE",
      url: deleteSession.path.replace(":sessionId", sessionId),
      token: gateway.owner.token,
      headers: { "x-request-id": "from-outside" },
    });
    expect(reply.headers["x-request-id"]).toBe("from-outside");
    const { position } = reply.json<{ position: string }>();
    const query = { aggregateId: sessionId, after: position };
    const { entries } = await client.call(listAudit, { query });
    expect(entries[0]).toMatchObject({
      eventTypes: ["SessionStopped"],
      actor: { kind: "user", id: gateway.owner.user.id, via: "http" },
      correlationId: "from-outside",
    });
  });

  it("can be watched with a ticket of a minute, in which nothing else may be done", async () => {
    const { id: userId, organizationId } = gateway.owner.user;
    const sessionId = await gateway.createSession();
    const reply = await gateway.send({
      url: `/v1/sessions/${sessionId}/live`,
      token: gateway.owner.token,
    });
    const url = new URL(reply.json<{ url: string }>().url);
    const ticket = url.searchParams.get("ticket") ?? "";
    const key = gateway.keys.liveTickets;
    expect(await verifyLiveTicket(key, ticket, new Date())).toEqual({
      sessionId,
      organizationId,
      userId,
      access: "take_part",
    });
    const onlyWatching = await gateway.send({
      url: `/v1/sessions/${sessionId}/live?access=watch`,
      token: gateway.owner.token,
    });
    const watchTicket = new URL(onlyWatching.json<{ url: string }>().url).searchParams.get(
      "ticket",
    );
    expect(await verifyLiveTicket(key, watchTicket ?? "", new Date())).toMatchObject({
      access: "watch",
    });
    const later = new Date(Date.now() + 61_000);
    await expect(verifyLiveTicket(key, ticket, later)).rejects.toMatchObject({
      code: "token_expired",
    });
    const misused = await gateway.send({
      url: "/v1/sessions",
      token: ticket,
      body: { title: "x" },
    });
    expect(misused.statusCode).toBe(401);
  });

  it("come back from a pause when somebody watches them", async () => {
    const id = await gateway.createSession();
    const key = { organization: gateway.owner.user.organizationId, id };
    const meta = () => newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } });
    const commands: SessionCommand[] = [
      { type: "AcquireOwnership", instance: "runner", epoch: 1 },
      { type: "RequestPause" },
      { type: "ReportPaused", epoch: 1 },
    ];
    for (const command of commands) {
      await execute(gateway.store, sessionAggregate, key, command, meta());
    }
    const status = async () =>
      (await loadAggregate(gateway.store, sessionAggregate, key)).state.status;
    expect(await status()).toBe("paused");
    await gateway.send({ url: `/v1/sessions/${id}/live`, token: gateway.owner.token });
    expect(await status()).toBe("pending");
  });

  it("keep only what their schema names", async () => {
    const body = { title: "Plain", organizationId: "org_other", status: "running" };
    const reply = await gateway.send({ url: "/v1/sessions", token: gateway.owner.token, body });
    expect(reply.statusCode).toBe(201);
    const { sessionId, position } = reply.json<{ sessionId: `ses_${string}`; position: string }>();
    const view = await clientOf(gateway.owner.token).call(getSession, {
      params: { sessionId },
      query: { after: position },
    });
    expect(view).toMatchObject({
      organizationId: gateway.owner.user.organizationId,
      status: "pending",
    });
  });
});

describe("signing in", () => {
  it("takes a token once, and then a cookie that only our own page may use", async () => {
    const { signInToken, user } = await clientOf(gateway.owner.token).call(addUser, {
      body: { email: "new@example.com", name: "New", role: "admin" },
    });
    const reply = await gateway.send({ url: "/v1/sign-in", body: { token: signInToken } });
    expect(reply.json()).toMatchObject({ user });
    const [cookie] = reply.cookies;
    expect(cookie).toMatchObject({
      name: "proliferate_session",
      httpOnly: true,
      sameSite: "Strict",
      secure: true,
      path: "/",
    });
    const headers = { cookie: `proliferate_session=${cookie?.value}`, host: "ours.example" };
    const me = await gateway.send({ method: "GET", url: getMe.path, headers });
    expect(me.json()).toEqual(user);
    const own = { ...headers, origin: "https://ours.example" };
    const created = await gateway.send({ url: "/v1/sessions", headers: own, body: { title: "x" } });
    expect(created.statusCode).toBe(201);

    const again = clientOf().call(signIn, { body: { token: signInToken } });
    await expect(again).rejects.toMatchObject({ code: "unauthenticated", status: 401 });
    const out = await gateway.send({ url: "/v1/sign-out", headers: own });
    expect(out.cookies).toMatchObject([{ name: "proliferate_session", value: "", path: "/" }]);
  });

  it("lets one of two who use the same token at once in", async () => {
    const token = await gateway.identity.issueSignInToken(gateway.member.user.id);
    const tries = [1, 2, 3].map(() => gateway.send({ url: "/v1/sign-in", body: { token } }));
    const statuses = (await Promise.all(tries)).map(({ statusCode }) => statusCode);
    expect(statuses.sort()).toEqual([200, 401, 401]);
  });
});

describe("the server", () => {
  it("describes its routes", async () => {
    const reply = await gateway.send({ method: "GET", url: "/openapi.json" });
    expect(reply.statusCode).toBe(200);
    const { paths } = reply.json<{ paths: Record<string, Record<string, unknown>> }>();
    expect(paths["/v1/sessions/{sessionId}/prompts"]?.["post"]).toMatchObject({
      security: [{ accessToken: [] }],
      requestBody: {
        content: { "application/json": { schema: { properties: { text: { type: "string" } } } } },
      },
      responses: { 202: {}, default: { content: { "application/problem+json": {} } } },
    });
  });

  it("says nothing of its inside when it fails", async () => {
    const reply = await gateway.send({ method: "GET", url: "/v1/broken" });
    expect(reply.json()).toMatchObject({ code: "internal", status: 500 });
    expect(reply.body).not.toContain(secret);
    expect(reply.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is healthy while its log and database answer", async () => {
    const reply = await gateway.send({ method: "GET", url: "/healthz" });
    expect(reply.json()).toEqual({ ok: true });
  });

  it("tells owners how far the read models have come", async () => {
    const client = clientOf(gateway.owner.token);
    const { position } = await client.call(createSession, { body: { title: "Seen" } });
    await client.call(listAudit, { query: { after: position } });
    const [, sequence] = position.split(":").map(Number);
    await vi.waitFor(
      async () => {
        const { models } = await client.call(getProjections, {});
        const sessions = models.find(({ name }) => name === "sessions");
        expect(sessions).toMatchObject({
          version: sessionsProjection.version,
          shards: [{ shard: 0, state: "projecting", lag: 0, problem: null }],
          rebuild: null,
        });
        expect(sessions?.shards[0]?.checkpoint).toBeGreaterThanOrEqual(sequence ?? Number.NaN);
      },
      { timeout: 30_000 },
    );
    await expect(clientOf(gateway.member.token).call(getProjections, {})).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("gives metrics to whoever has their token", async () => {
    const get = (token?: string) =>
      gateway.send({ method: "GET", url: "/metrics", ...(token && { token }) });
    expect((await get()).json()).toMatchObject({ code: "unauthenticated" });
    expect((await get(gateway.owner.token)).json()).toMatchObject({ code: "unauthenticated" });
    const { headers, body } = await get(metricsToken);
    expect(headers["content-type"]).toContain("text/plain; version=0.0.4");
    expect(body).toContain("# TYPE proliferate_http_request_duration_seconds histogram");
  });

  it("serves the dashboard's one page for every page, and its files as they are", async () => {
    const get = (url: string) => gateway.send({ method: "GET", url });
    for (const url of ["/", "/sessions/ses_1?x=1"]) {
      const page = await get(url);
      expect(page.body).toContain("the page");
      expect(page.headers["cache-control"]).toBe("no-cache");
      expect(page.headers["content-security-policy"]).toContain("default-src 'self'");
    }
    const asset = await get("/assets/app-1a2b.js");
    expect(asset.headers["cache-control"]).toContain("immutable");
    for (const url of ["/assets/gone.js", "/v1/gone"]) {
      expect((await get(url)).json()).toMatchObject({ code: "not_found", status: 404 });
    }
    for (const url of ["/../../etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd"]) {
      expect((await get(url)).body).not.toContain("root:");
    }
  });
});
