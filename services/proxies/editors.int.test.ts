/** Editors through the gateway, as far as that goes; what stands in the sandbox is another server. */
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openProxy } from "#contracts/http/proxies";
import { newId, type SessionId } from "#contracts/ids";
import { announceWatched } from "#event-store/live/watch-presence";
import { createClient } from "../client/client.ts";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";
import { verifyProxyTicket } from "../identity/signed-tokens.ts";
import { pageOriginsBelow } from "./page-origins.ts";
import { requireStanding } from "./standing.ts";
import { type SandboxServer, startSandboxServer } from "./testing/sandbox-server.ts";

const pages = pageOriginsBelow("https://pages.example.com");

let sandbox: SandboxServer;
let gateway: TestGateway;
let port: number;
let session: SessionId;
/** People who have left meanwhile. */
const gone = new Set<string>();

beforeAll(async () => {
  sandbox = await startSandboxServer();
  gateway = await startTestGateway({
    pages: () => pages,
    proxies: ({ store, keys, now, identity }) => ({
      announce: (sessionId) => announceWatched(store, sessionId),
      verifyTicket: (ticket) => verifyProxyTicket(keys.proxyTickets, ticket, now()),
      findEndpoints: () =>
        Promise.resolve({
          opencode: { baseUrl: "http://127.0.0.1:1", authorization: "Basic x" },
          preview: "http://127.0.0.1:1",
          sidecar: `${sandbox.url}/_proliferate/mcp`,
        }),
      sidecarToken: () => "of-the-sidecar",
      pages: () => pages,
      requireStanding: (ticket) =>
        requireStanding(
          {
            store,
            findUser: (id) => (gone.has(id) ? Promise.resolve(null) : identity.findUser(id)),
          },
          ticket,
        ),
    }),
  });
  await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = gateway.app.server.address() as AddressInfo);
});
afterAll(async () => {
  await gateway.close();
  await sandbox.close();
});
beforeEach(async () => {
  session = await gateway.createSession();
});

const open = (token = gateway.owner.token, access: "read" | "write" = "write") =>
  createClient({ baseUrl: `http://127.0.0.1:${port}`, accessToken: token }).call(openProxy, {
    params: { sessionId: session },
    body: { target: "vscode", access },
  });

const hostOf = (origin: string | null): string => new URL(origin ?? "").host;

/** As a browser asks at this host, wherever its name leads. */
const ask = async (path: string, host: string, headers: Record<string, string> = {}) => {
  const request = requestHttp({ host: "127.0.0.1", port, path, headers: { ...headers, host } });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
};
const codeOf = async (path: string, host: string): Promise<string> =>
  ((await json(await ask(path, host))) as { code: string }).code;

it("is reached at an origin of its session's own, and nowhere else", async () => {
  const { path, origin } = await open();
  expect(origin).toMatch(/^https:\/\/[0-9a-f]{32}\.pages\.example\.com$/);
  expect(origin).toBe(pages.of(session));
  const before = sandbox.requests.length;
  expect(await codeOf(path, `127.0.0.1:${port}`)).toBe("forbidden");
  expect(await codeOf(path, hostOf(pages.of(newId("session"))))).toBe("forbidden");
  expect(sandbox.requests.length).toBe(before);
  const page = await ask(path, hostOf(origin));
  expect(page.statusCode).toBe(200);
  // With an origin, and so with storage, which a sandboxed page has not.
  expect(page.headers["content-security-policy"]).toBe("frame-ancestors 'self'");
  expect(page.headers["x-frame-options"]).toBeUndefined();
});

it("shares that origin with nothing of the gateway, so that no page there gains anything", async () => {
  const host = hostOf(pages.of(session));
  for (const path of ["/", "/v1/me", "/v1/sessions", "/openapi.json", "/proxy"]) {
    expect(await codeOf(path, host)).toBe("not_found");
    expect(await codeOf(path, host.toUpperCase())).toBe("not_found");
  }
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    accessToken: gateway.owner.token,
  });
  const body = { target: "preview", access: "read" } as const;
  const preview = await client.call(openProxy, { params: { sessionId: session }, body });
  expect(preview.origin).toBeNull();
  expect(await codeOf(preview.path, host)).toBe("not_found");
});

it("asks the sidecar with its credential, tells the editor its address, and passes none of the client's", async () => {
  const { path, origin } = await open();
  const host = hostOf(origin);
  await ask(`${path}static/a.js?v=1`, host, {
    cookie: "proliferate_session=s",
    authorization: "Bearer mine",
    origin: origin ?? "",
    referer: `${origin}${path}`,
    "x-forwarded-host": "evil.example",
  });
  const seen = sandbox.requests.at(-1);
  expect(seen?.url).toBe("/_proliferate/mcp/vscode/static/a.js?v=1");
  expect(seen?.headers).toMatchObject({
    authorization: "Bearer of-the-sidecar",
    "x-forwarded-host": host,
    "x-forwarded-prefix": path.replace(/\/$/, ""),
  });
  for (const name of ["cookie", "origin", "referer"]) expect(seen?.headers[name]).toBeUndefined();
  const before = sandbox.requests.length;
  expect((await ask(`${path}..%2fapi/services`, host)).statusCode).toBe(404);
  expect(sandbox.requests.length).toBe(before);
});

it("carries WebSockets of its own pages and of programs, and of no other page", async () => {
  const { path, origin } = await open();
  const connect = (from?: string) =>
    new WebSocket(`ws://127.0.0.1:${port}${path}socket`, {
      headers: { host: hostOf(origin), ...(from !== undefined && { origin: from }) },
    });
  for (const from of [origin ?? "", undefined]) {
    const socket = connect(from);
    await once(socket, "open");
    socket.send("hello");
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(data.toString()).toBe("hello");
    socket.terminate();
  }
  for (const from of [pages.of(newId("session")), "https://evil.example", "null"]) {
    const [, refusal] = (await once(connect(from), "unexpected-response")) as [
      unknown,
      { statusCode: number },
    ];
    expect(refusal.statusCode).toBe(403);
  }
});

it("is for those who may change the session, and for no longer than they may", async () => {
  await expect(open(gateway.member.token)).rejects.toMatchObject({ code: "forbidden" });
  await expect(open(gateway.owner.token, "read")).rejects.toMatchObject({
    code: "request_invalid",
  });
  const { path, origin, expiresAt } = await open();
  const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(11);
  gone.add(gateway.owner.user.id);
  expect(await codeOf(path, hostOf(origin))).toBe("unauthenticated");
  gone.clear();
  expect((await ask(path, hostOf(origin))).statusCode).toBe(200);
});
