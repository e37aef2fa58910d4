import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { createClient } from "../client/client.ts";
import { openProxy } from "#contracts/http/proxies";
import { newId, type SessionId } from "#contracts/ids";
import type { ProxyTarget } from "#contracts/proxies/target";
import { announceWatched, isWatched } from "#event-store/live/watch-presence";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";
import { signProxyTicket, verifyProxyTicket } from "../identity/signed-tokens.ts";
import { type SandboxServer, startSandboxServer } from "./testing/sandbox-server.ts";

// Long enough for a busy machine, since it bounds every answer here and one test waits for its end.
const limits = { maxBodyBytes: 64 * 1024, answerTimeoutMs: 5_000, maxConnections: 3 };
const patience = { timeout: 30_000 };

let sandbox: SandboxServer;
let gateway: TestGateway;
let url: string;
let session: SessionId;

beforeAll(async () => {
  sandbox = await startSandboxServer();
  gateway = await startTestGateway({
    proxies: ({ store, keys, now }) => ({
      announce: (sessionId) => announceWatched(store, sessionId),
      verifyTicket: (ticket) => verifyProxyTicket(keys.proxyTickets, ticket, now()),
      findEndpoints: ({ sessionId }) =>
        Promise.resolve({
          opencode: { baseUrl: sandbox.url, authorization: "Basic of-the-agent" },
          preview: sandbox.url,
          // Another session's sandbox is another server; this one must never be asked for it.
          sidecar: sessionId === session ? sandbox.url : "http://127.0.0.1:1",
        }),
      sidecarToken: () => "of-the-sidecar",
      pages: () => null,
      requireStanding: () => Promise.resolve(),
      limits,
    }),
  });
  await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway.close();
  await sandbox.close();
});
beforeEach(async () => {
  session = await gateway.createSession();
});

const clientOf = (accessToken: string) => createClient({ baseUrl: url, accessToken });

/** The URL below which the target is reached. */
const proxyOf = async (
  target: ProxyTarget,
  access: "read" | "write" = "write",
  token = gateway.owner.token,
): Promise<string> => {
  const body = { target, access };
  const { path } = await clientOf(token).call(openProxy, { params: { sessionId: session }, body });
  return `${url}${path}`;
};
const lastRequest = () => sandbox.requests.at(-1);

describe("who is let in", () => {
  it("gives tickets to write to the creator, owners and admins only", async () => {
    await expect(proxyOf("opencode", "write", gateway.member.token)).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(proxyOf("opencode", "read", gateway.stranger.token)).rejects.toMatchObject({
      code: "session_not_found",
    });
    expect((await fetch(await proxyOf("preview", "read", gateway.member.token))).status).toBe(200);
  });

  it("refuses a ticket on another session, for another target, and to write with one for reading", async () => {
    const before = sandbox.requests.length;
    const preview = await proxyOf("preview", "read");
    const codeOf = async (address: string, init: RequestInit = {}) =>
      ((await (await fetch(address, init)).json()) as { code: string }).code;
    expect(await codeOf(preview.replace(session, newId("session")))).toBe("session_not_found");
    expect(await codeOf(preview.replace("/preview/", "/sidecar/"))).toBe("forbidden");
    expect(await codeOf(preview, { method: "POST" })).toBe("forbidden");
    expect(await codeOf(`${url}/proxy/${session}/nonsense/preview/`)).toBe("unauthenticated");
    const ofAPerson = `${url}/proxy/${session}/${gateway.owner.token}/preview/`;
    expect(await codeOf(ofAPerson)).toBe("unauthenticated");
    const { id: userId, organizationId } = gateway.owner.user;
    const claims = { sessionId: session, organizationId, userId } as const;
    const old = await signProxyTicket(
      gateway.keys.proxyTickets,
      { ...claims, target: "preview", access: "read" },
      new Date(Date.now() - 24 * 3_600_000),
    );
    expect(await codeOf(`${url}/proxy/${session}/${old.token}/preview/`)).toBe("token_expired");
    const socket = new WebSocket(`${preview.replace("http", "ws")}socket`);
    const [, refusal] = (await once(socket, "unexpected-response")) as [
      unknown,
      { statusCode: number },
    ];
    expect(refusal.statusCode).toBe(403);
    expect(sandbox.requests.length).toBe(before);
  });

  it("passes on no path that leaves the target, and nothing of the agent's configuration", async () => {
    const before = sandbox.requests.length;
    const agent = new URL(await proxyOf("opencode"));
    for (const path of [
      "config",
      "auth/x",
      "session/..%2fconfig",
      "session/%2e%2e%2fconfig",
      "%2e%2e%5cconfig",
    ]) {
      expect(await rawStatus(agent, `${agent.pathname}${path}`)).toBe(404);
    }
    expect(await rawStatus(agent, `${agent.pathname}session/../config`)).toBe(404);
    expect(sandbox.requests.length).toBe(before);
    await fetch(`${agent.href}file?path=x&directory=/etc`);
    expect(lastRequest()?.url).toBe("/file?path=x");
  });
});

/** Sends a path as it is, which `fetch` would tidy up. */
const rawStatus = async ({ hostname, port }: URL, path: string): Promise<number | undefined> => {
  const request = requestHttp({ hostname, port, path });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
};

describe("what passes", () => {
  it("opens the upstream with its own credential and shows it nothing of the client's", async () => {
    const secrets = { cookie: "proliferate_session=s", authorization: "Bearer mine" };
    const headers = {
      ...secrets,
      referer: url,
      origin: url,
      "x-forwarded-for": "1.2.3.4",
      "x-own": "kept",
    };
    const expected = {
      sidecar: "Bearer of-the-sidecar",
      opencode: "Basic of-the-agent",
      preview: undefined,
    };
    for (const target of ["sidecar", "opencode", "preview"] as const) {
      await fetch(`${await proxyOf(target)}session?q=1`, { headers });
      const seen = lastRequest();
      expect(seen?.url).toBe("/session?q=1");
      expect(seen?.headers.authorization).toBe(expected[target]);
      expect(seen?.headers).toMatchObject({ "x-own": "kept", host: new URL(sandbox.url).host });
      for (const name of ["cookie", "referer", "origin", "x-forwarded-for"]) {
        expect(seen?.headers[name]).toBeUndefined();
      }
    }
  });

  it("keeps a page of the sandbox from acting as a page of the gateway", async () => {
    const { headers } = await fetch(`${await proxyOf("preview")}headers`);
    for (const name of [
      "set-cookie",
      "www-authenticate",
      "clear-site-data",
      "access-control-allow-credentials",
      "x-hop",
    ]) {
      expect(headers.get(name)).toBeNull();
    }
    expect(headers.get("x-app")).toBe("kept");
    const policy = headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src https:, sandbox allow-scripts/);
    expect(policy).not.toContain("allow-same-origin");
  });

  it("keeps redirects below the ticket's path", async () => {
    const preview = await proxyOf("preview");
    const { status, headers } = await fetch(`${preview}moved`, { redirect: "manual" });
    expect(status).toBe(302);
    expect(headers.get("location")).toBe(`${new URL(preview).pathname}elsewhere?a=1`);
  });

  it("passes bodies of every kind, and refuses too large ones", async () => {
    const preview = await proxyOf("preview");
    const body = new Uint8Array(50_000).map((_, index) => index % 251);
    const echoed = await fetch(`${preview}echo`, { method: "POST", body });
    expect(new Uint8Array(await echoed.arrayBuffer())).toEqual(body);
    const stream = () => new Blob([body]).stream();
    const init = { method: "DELETE", body: stream(), duplex: "half" } as RequestInit;
    expect((await (await fetch(`${preview}echo`, init)).arrayBuffer()).byteLength).toBe(50_000);
    const large = await fetch(`${preview}echo`, { method: "POST", body: new Uint8Array(70_000) });
    expect(await large.json()).toMatchObject({ code: "body_too_large" });
  });

  it("passes events on as they come, and lets go when the client does", async () => {
    const gone = new AbortController();
    const response = await fetch(`${await proxyOf("preview")}events`, { signal: gone.signal });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body!.getReader();
    for (const text of ["one", "two"]) {
      sandbox.sendEvent(text);
      const { value } = await reader.read();
      expect(Buffer.from(value!).toString()).toBe(`data: ${text}\n\n`);
    }
    gone.abort();
    await vi.waitFor(() => expect(sandbox.listeners()).toBe(0), patience);
  });

  it("carries a WebSocket in both directions, with the upstream's credential", async () => {
    const sidecar = await proxyOf("sidecar");
    const socket = new WebSocket(`${sidecar.replace("http", "ws")}socket`, {
      headers: { cookie: "proliferate_session=s", origin: url },
    });
    await once(socket, "open");
    expect(lastRequest()?.headers).toMatchObject({ authorization: "Bearer of-the-sidecar" });
    expect(lastRequest()?.headers.cookie).toBeUndefined();
    expect(lastRequest()?.headers.origin).toBeUndefined();
    for (const text of ["ls\r", "x".repeat(200_000)]) {
      socket.send(text);
      const [data] = (await once(socket, "message")) as [Buffer];
      expect(data.toString()).toBe(text);
    }
    socket.close(1000);
    const [code] = (await once(socket, "close")) as [number];
    expect(code).toBe(1000);
  });
});

describe("what fails", () => {
  it("tells a sandbox that does not answer from one that breaks off", async () => {
    const preview = await proxyOf("preview");
    const slow = await fetch(`${preview}silent`);
    expect(slow.status).toBe(504);
    expect(await slow.json()).toMatchObject({ code: "proxy_upstream_timed_out" });
    const cut = await fetch(`${preview}cut`);
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow();
    session = await gateway.createSession();
    const other = await proxyOf("sidecar");
    session = newId("session"); // Whose sandbox the server is not any more.
    const refused = await fetch(other);
    expect(refused.status).toBe(502);
    expect(await refused.json()).toMatchObject({ code: "proxy_upstream_failed" });
  });

  it("counts as use of the sandbox as long as something is open", async () => {
    const preview = await proxyOf("preview");
    await (await fetch(preview)).text();
    await vi.waitFor(
      async () => expect(await isWatched(gateway.store, session)).toBe(false),
      patience,
    );
    const gone = new AbortController();
    await fetch(`${preview}events`, { signal: gone.signal });
    expect(await isWatched(gateway.store, session)).toBe(true);
    gone.abort();
    await vi.waitFor(
      async () => expect(await isWatched(gateway.store, session)).toBe(false),
      patience,
    );
  });

  it("bounds what one session has open, and nothing stays counted", async () => {
    const events = `${await proxyOf("preview")}events`;
    const gone = new AbortController();
    await Promise.all([1, 2, 3].map(() => fetch(events, { signal: gone.signal })));
    expect(await (await fetch(events)).json()).toMatchObject({
      code: "too_many_proxy_connections",
    });
    gone.abort();
    await vi.waitFor(
      async () => expect((await fetch(events.replace(/events$/, ""))).status).toBe(200),
      patience,
    );
  });

  it("answers other upgrades with a problem", async () => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/sessions`);
    const [, refusal] = (await once(socket, "unexpected-response")) as [
      unknown,
      { statusCode: number },
    ];
    expect(refusal.statusCode).toBe(404);
  });
});
