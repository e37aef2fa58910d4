import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ErrorCode } from "#contracts/errors";
import { newId, type InvocationId, type SessionId } from "#contracts/ids";
import { maxPromptBytes } from "#contracts/session/limits";
import { signLiveTicket } from "../identity/signed-tokens.ts";
import { startTestGateway, type TestGateway, type TestRequest } from "./testing/test-gateway.ts";

let gateway: TestGateway;
let session: SessionId;
let invocation: InvocationId;

beforeAll(async () => {
  gateway = await startTestGateway();
  session = await gateway.createSession();
  invocation = await invoke();
});
afterAll(() => gateway.close());

/** An invocation that waits for approval. */
const invoke = async (): Promise<InvocationId> => {
  const reply = await gateway.send({
    url: `/v1/sessions/${session}/actions/invoke`,
    token: gateway.sandboxToken(session),
    body: { integration: "demo", action: "publish_release", params: { version: "1.0.0" } },
  });
  expect(reply.statusCode).toBe(202);
  return reply.json<{ invocation: { id: InvocationId } }>().invocation.id;
};

const approval = (id: InvocationId = invocation) =>
  `/v1/sessions/${session}/actions/invocations/${id}/approve`;

const fullResult = () => `/v1/sessions/${session}/actions/invocations/${invocation}/full-result`;

const day = 24 * 60 * 60 * 1000;
const owner = () => gateway.owner.token;
const jwt = (key: Uint8Array, change: (token: SignJWT) => SignJWT = (token) => token) => {
  const { id, organizationId, role } = gateway.owner.user;
  const token = new SignJWT({ org: organizationId, role })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(id)
    .setIssuer("proliferate")
    .setAudience("proliferate")
    .setIssuedAt();
  return change(token).sign(key);
};
const unsigned = (): string => {
  const [, payload] = owner().split(".");
  const header = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  return `${header}.${payload}.`;
};
const sessions = { url: "/v1/sessions", body: { title: "x" } };
const invokeUrl = () => `/v1/sessions/${session}/actions/invoke`;
const asSandbox = (body: unknown): TestRequest => ({
  url: invokeUrl(),
  token: gateway.sandboxToken(session),
  body,
});
const json = { "content-type": "application/json" };

type Refusal = [
  name: string,
  status: number,
  code: ErrorCode,
  request: () => TestRequest | Promise<TestRequest>,
];

const malformed: Refusal[] = [
  [
    "a body that is not JSON",
    400,
    "request_malformed",
    () => ({ ...sessions, token: owner(), body: "{oops", headers: json }),
  ],
  [
    "a body that is not said to be JSON",
    400,
    "request_malformed",
    () => ({
      ...sessions,
      token: owner(),
      body: "title=x",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
  ],
  [
    "a body that reaches for the prototype",
    400,
    "request_malformed",
    () => ({ ...sessions, token: owner(), body: '{"title":"x","__proto__":{}}', headers: json }),
  ],
  [
    "a URL that cannot be read",
    400,
    "request_malformed",
    () => ({ method: "GET", url: "/v1/sessions/%E0%A4%A", token: owner() }),
  ],
  [
    "a body without what it needs",
    422,
    "request_invalid",
    () => ({ ...sessions, url: "/v1/configurations", token: owner(), body: {} }),
  ],
  [
    "no body where one is needed",
    422,
    "request_invalid",
    () => ({ url: "/v1/sessions", token: owner() }),
  ],
  [
    "a query that does not fit",
    422,
    "request_invalid",
    () => ({ method: "GET", url: "/v1/sessions?limit=0", token: owner() }),
  ],
  [
    "a cursor that was never given",
    400,
    "request_malformed",
    () => ({ method: "GET", url: "/v1/sessions?cursor=abc", token: owner() }),
  ],
  [
    "a position of nonsense",
    400,
    "position_invalid",
    () => ({ method: "GET", url: "/v1/sessions?after=somewhere", token: owner() }),
  ],
  [
    "a position too short to be one",
    400,
    "position_invalid",
    () => ({ method: "GET", url: "/v1/sessions?after=0", token: owner() }),
  ],
  [
    "a position of another shard",
    400,
    "position_invalid",
    () => ({ method: "GET", url: "/v1/sessions?after=7:1", token: owner() }),
  ],
  [
    "a body over 1 MB",
    413,
    "body_too_large",
    () => ({ ...sessions, token: owner(), body: { title: "x", prompt: "y".repeat(1024 * 1024) } }),
  ],
  [
    "a prompt over 100 KB",
    413,
    "prompt_too_large",
    () => ({
      url: `/v1/sessions/${session}/prompts`,
      token: owner(),
      body: { text: "é".repeat(maxPromptBytes / 2 + 1) },
    }),
  ],
  [
    "a first prompt over 100 KB",
    413,
    "prompt_too_large",
    () => ({
      ...sessions,
      token: owner(),
      body: { title: "x", prompt: "y".repeat(maxPromptBytes + 1) },
    }),
  ],
];

const unknown: Refusal[] = [
  [
    "a path that leads nowhere",
    404,
    "not_found",
    () => ({ method: "GET", url: "/v1/nothing", token: owner() }),
  ],
  [
    "an unknown session",
    404,
    "session_not_found",
    () => ({
      url: `/v1/sessions/${newId("session")}/prompts`,
      token: owner(),
      body: { text: "x" },
    }),
  ],
  [
    "an id that cannot be one",
    404,
    "session_not_found",
    () => ({ method: "DELETE", url: "/v1/sessions/ses_1", token: owner() }),
  ],
  [
    "the session of another organisation",
    404,
    "session_not_found",
    () => ({ method: "DELETE", url: `/v1/sessions/${session}`, token: gateway.stranger.token }),
  ],
  [
    "the live channel of another organisation",
    404,
    "session_not_found",
    () => ({ url: `/v1/sessions/${session}/live`, token: gateway.stranger.token }),
  ],
  [
    "an unknown invocation",
    404,
    "invocation_not_found",
    () => ({ url: approval(newId("invocation")), token: owner(), body: {} }),
  ],
  [
    "the invocation of another organisation",
    404,
    "invocation_not_found",
    () => ({ url: approval(), token: gateway.stranger.token, body: {} }),
  ],
  [
    "a full result that there is not",
    404,
    "full_result_not_found",
    () => ({ method: "GET", url: fullResult(), token: owner() }),
  ],
  [
    "an unknown trigger",
    404,
    "trigger_not_found",
    () => ({ url: `/v1/hooks/${newId("trigger")}`, body: {} }),
  ],
  [
    "an unknown integration",
    404,
    "integration_not_found",
    () => asSandbox({ integration: "nobody", action: "list_releases" }),
  ],
  [
    "an unknown action",
    404,
    "action_not_found",
    () => asSandbox({ integration: "demo", action: "make_coffee" }),
  ],
  [
    "parameters that do not fit",
    422,
    "action_params_invalid",
    () =>
      asSandbox({ integration: "demo", action: "publish_release", params: { version: "soon" } }),
  ],
];

const unauthenticated: Refusal[] = [
  ["nobody", 401, "unauthenticated", () => sessions],
  [
    "another kind of credentials",
    401,
    "unauthenticated",
    () => ({ ...sessions, headers: { authorization: "Basic YTpi" } }),
  ],
  ["a token of nonsense", 401, "unauthenticated", () => ({ ...sessions, token: "nonsense" })],
  [
    "a token signed with another key",
    401,
    "unauthenticated",
    async () => ({
      ...sessions,
      token: await jwt(new Uint8Array(32), (token) => token.setExpirationTime("1h")),
    }),
  ],
  [
    "a token without a signature",
    401,
    "unauthenticated",
    () => ({ ...sessions, token: unsigned() }),
  ],
  [
    "a token that never expires",
    401,
    "unauthenticated",
    async () => ({ ...sessions, token: await jwt(gateway.keys.accessTokens) }),
  ],
  [
    "an expired token",
    401,
    "token_expired",
    async () => ({
      ...sessions,
      token: await jwt(gateway.keys.accessTokens, (token) => token.setExpirationTime(1)),
    }),
  ],
  [
    "a token of somebody who is gone",
    401,
    "unauthenticated",
    async () => ({
      ...sessions,
      token: await jwt(gateway.keys.accessTokens, (token) =>
        token.setSubject(newId("user")).setExpirationTime("1h"),
      ),
    }),
  ],
  [
    "a live ticket for a token",
    401,
    "unauthenticated",
    async () => {
      const { id, organizationId } = gateway.owner.user;
      const ticket = { sessionId: session, organizationId, userId: id, access: "watch" } as const;
      return {
        ...sessions,
        token: (await signLiveTicket(gateway.keys.accessTokens, ticket, new Date())).token,
      };
    },
  ],
  [
    "a forged sandbox token",
    401,
    "sandbox_token_invalid",
    () => ({ ...asSandbox({}), token: `${gateway.sandboxToken(session).slice(0, -4)}AAAA` }),
  ],
  [
    "an unknown sign-in token",
    401,
    "unauthenticated",
    () => ({ url: "/v1/sign-in", body: { token: "psi_guess" } }),
  ],
];

const forbidden: Refusal[] = [
  [
    "a member who approves",
    403,
    "forbidden",
    () => ({ url: approval(), token: gateway.member.token, body: {} }),
  ],
  [
    "a member who adds people",
    403,
    "forbidden",
    () => ({
      url: "/v1/users",
      token: gateway.member.token,
      body: { email: "a@example.com", name: "A", role: "admin" },
    }),
  ],
  [
    "a member who sets policy",
    403,
    "forbidden",
    () => ({
      method: "PUT",
      url: "/v1/policy/actions/demo/publish_release",
      token: gateway.member.token,
      body: { mode: "allow" },
    }),
  ],
  [
    "a member who has full results kept",
    403,
    "forbidden",
    () => ({
      method: "PUT",
      url: "/v1/policy/full-results",
      token: gateway.member.token,
      body: { keep: true },
    }),
  ],
  [
    "a member who reads a full result",
    403,
    "forbidden",
    () => ({ method: "GET", url: fullResult(), token: gateway.member.token }),
  ],
  [
    "a sandbox that reads a full result of its own",
    403,
    "forbidden",
    () => ({ method: "GET", url: fullResult(), token: gateway.sandboxToken(session) }),
  ],
  [
    "a sandbox that approves itself",
    403,
    "forbidden",
    () => ({ url: approval(), token: gateway.sandboxToken(session), body: {} }),
  ],
  [
    "a sandbox that creates sessions",
    403,
    "forbidden",
    () => ({ ...sessions, token: gateway.sandboxToken(session) }),
  ],
  [
    "a person who invokes",
    403,
    "forbidden",
    () => ({ ...asSandbox({ integration: "demo", action: "list_releases" }), token: owner() }),
  ],
  [
    "a sandbox on another session's path",
    404,
    "session_not_found",
    () => ({ ...asSandbox({}), token: gateway.sandboxToken(newId("session")) }),
  ],
  [
    "a cookie without a page of ours",
    403,
    "forbidden",
    () => ({ ...sessions, headers: { cookie: `proliferate_session=${owner()}` } }),
  ],
  [
    "a cookie from a page of another origin",
    403,
    "forbidden",
    () => ({
      ...sessions,
      headers: {
        cookie: `proliferate_session=${owner()}`,
        origin: "https://evil.example",
        host: "ours.example",
      },
    }),
  ],
  [
    "a cookie from another part of the site",
    403,
    "forbidden",
    () => ({
      ...sessions,
      headers: { cookie: `proliferate_session=${owner()}`, "sec-fetch-site": "same-site" },
    }),
  ],
  [
    "a sign-in from a page of another origin",
    403,
    "forbidden",
    () => ({
      url: "/v1/sign-in",
      body: { token: "x" },
      headers: { origin: "https://evil.example" },
    }),
  ],
  [
    "an e-mail address that is taken",
    409,
    "user_exists",
    () => ({
      url: "/v1/users",
      token: owner(),
      body: { email: "MEMBER@example.com", name: "Twin", role: "member" },
    }),
  ],
];

describe("what is refused changes nothing", () => {
  it.each([...malformed, ...unknown, ...unauthenticated, ...forbidden])(
    "%s: %i %s",
    async (_, status, code, request) => {
      const before = await gateway.facts();
      const reply = await gateway.send(await request());
      expect(reply.json()).toMatchObject({ code, status });
      expect(reply.statusCode).toBe(status);
      expect(reply.headers["content-type"]).toContain("application/problem+json");
      expect(await gateway.facts()).toEqual(before);
    },
  );

  it("an approval that comes again", async () => {
    const id = await invoke();
    const approve = { url: approval(id), token: owner(), body: { scope: "once" } };
    expect((await gateway.send(approve)).statusCode).toBe(202);
    const before = await gateway.facts();
    const again = await gateway.send(approve);
    expect(again.json()).toMatchObject({ code: "invocation_already_resolved", status: 409 });
    expect(await gateway.facts()).toEqual(before);
  });

  it("names the fields that do not fit", async () => {
    const reply = await gateway.send({
      ...sessions,
      token: owner(),
      body: { title: " ", repository: {} },
    });
    expect(reply.json()).toMatchObject({
      fields: { in: "body", issues: [{ path: "/title" }, { path: "/repository/url" }] },
    });
  });

  // The last: it moves the clock.
  it("an approval after the expiry, and a token after its end", async () => {
    const id = await invoke();
    gateway.moveClock(6 * 60 * 1000);
    const late = await gateway.send({ url: approval(id), token: owner(), body: {} });
    expect(late.json()).toMatchObject({ code: "invocation_expired", status: 410 });
    // The expiry is recorded when it is found; nothing but that is.
    const before = await gateway.facts();
    const url = `/v1/sessions/${session}/actions/invocations/${id}`;
    await vi.waitFor(
      async () => {
        const invocation = await gateway.send({ method: "GET", url, token: owner() });
        expect(invocation.json()).toMatchObject({ status: "expired", resolvedBy: null });
      },
      { timeout: 30_000 },
    );
    gateway.moveClock(day);
    const reply = await gateway.send({ ...sessions, token: owner() });
    expect(reply.json()).toMatchObject({ code: "token_expired", status: 401 });
    expect(reply.headers["www-authenticate"]).toBe("Bearer");
    expect(await gateway.facts()).toEqual(before);
  });
});
