/** Deciding from elsewhere, against the program as it runs; Slack is a local server that keeps what it is asked. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { getInvocation, invokeAction } from "#contracts/http/actions";
import {
  issueApprovalLinks,
  slackInteraction,
  slackSignatureHeader,
  slackTimestampHeader,
} from "#contracts/http/approvals";
import { connectIntegration } from "#contracts/http/integrations";
import { createSession } from "#contracts/http/sessions";
import type { InvocationId, SessionId } from "#contracts/ids";
import { deriveSandboxToken } from "#sandbox/token";
import { createClient } from "../client/client.ts";
import { json, type LocalServer, startLocalServer } from "../integrations/testing/local-server.ts";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";
import { slackSignature } from "./slack/signature.ts";

const patience = { timeout: 30_000, interval: 50 };
const secret = "a-signing-secret-of-tests";

let stack: TestStack;
let slack: LocalServer;
let session: SessionId;
beforeAll(async () => {
  slack = await startLocalServer();
  slack.answer(({ path, body }, response) => {
    const email =
      new URLSearchParams(body).get("user") === "UOWNER"
        ? "owner@localhost.localdomain"
        : "somebody@example.com";
    json(
      response,
      path === "/users.info" ? { ok: true, user: { profile: { email } } } : { ok: true },
    );
  });
  stack = await startTestStack({
    ROLES: "projector,worker,fanout,gateway",
    SLACK_SIGNING_SECRET: secret,
    SLACK_APPROVALS_CHANNEL: "C0APPROVALS",
    OUTBOUND_ALLOWED_NETWORKS: "127.0.0.1/32",
  });
  ({ sessionId: session } = await stack.client.call(createSession, {
    headers: {},
    body: { title: "Releases" },
  }));
}, 120_000);
afterAll(async () => {
  await stack.close();
  await slack.close();
});

let versions = 0;
let waiting: InvocationId;
beforeEach(async () => {
  versions += 1;
  const accessToken = deriveSandboxToken({
    secret: stack.program.platform.keys.sandboxTokens,
    sessionId: session,
    organizationId: stack.organization,
  });
  const { invocation } = await createClient({ baseUrl: stack.url, accessToken }).call(
    invokeAction,
    {
      params: { sessionId: session },
      body: {
        integration: "demo",
        action: "publish_release",
        params: { version: `2.0.${versions}`, notes: "<b>bold</b>" },
      },
    },
  );
  waiting = invocation.id;
  await reaches("pending");
});

const invocation = () =>
  stack.client.call(getInvocation, {
    params: { sessionId: session, invocationId: waiting },
    query: {},
  });
const reaches = (status: string) =>
  vi.waitFor(async () => expect((await invocation()).status).toBe(status), patience);

describe("a link", () => {
  const issue = () =>
    stack.client.call(issueApprovalLinks, {
      params: { sessionId: session, invocationId: waiting },
    });

  it("asks when it is opened, decides when its form is sent, and does so once", async () => {
    const { approve, deny } = await issue();
    const page = await fetch(approve);
    expect(page.headers.get("content-type")).toContain("text/html");
    const text = await page.text();
    expect(text).toContain("demo/publish_release");
    expect(text).not.toContain("<b>");
    await fetch(approve, { method: "HEAD" });
    expect((await invocation()).status).toBe("pending");

    expect((await fetch(approve, { method: "POST" })).status).toBe(200);
    await reaches("completed");
    expect((await invocation()).resolvedBy).toMatch(/^usr_/);
    for (const [url, method] of [
      [approve, "POST"],
      [deny, "POST"],
      [approve, "GET"],
    ] as const) {
      expect((await fetch(url, { method })).status).toBe(409);
    }
  });

  it("that was changed, or is of somebody who may not approve any more, decides nothing", async () => {
    const { deny } = await issue();
    const changed = new URL(deny);
    const [head, claims, mac] = (changed.searchParams.get("token") ?? "").split(".");
    const other = Buffer.from(
      Buffer.from(claims ?? "", "base64url")
        .toString()
        .replace('"deny"', '"approve"'),
    ).toString("base64url");
    changed.searchParams.set("token", `${head}.${other}.${mac}`);
    expect((await fetch(changed, { method: "POST" })).status).toBe(401);

    const { sql } = stack.program.platform;
    await sql`UPDATE identity.users SET role = 'member'`;
    try {
      expect((await fetch(deny, { method: "POST" })).status).toBe(403);
    } finally {
      await sql`UPDATE identity.users SET role = 'owner'`;
    }
    expect((await invocation()).status).toBe("pending");
  });
});

describe("Slack", () => {
  beforeAll(() =>
    stack.client.call(connectIntegration, {
      params: { vendor: "slack" },
      body: { token: "xoxb-test", baseUrl: slack.url },
    }),
  );

  /** The values of the buttons of the message that asks for this invocation. */
  const buttons = () =>
    vi.waitUntil(() => {
      const message = slack.asked.find(
        ({ path, body }) => path === "/chat.postMessage" && body.includes(waiting),
      );
      if (!message) return false;
      const form = new URLSearchParams(message.body);
      expect(form.get("channel")).toBe("C0APPROVALS");
      const blocks = JSON.parse(form.get("blocks") ?? "") as { elements?: { value: string }[] }[];
      return blocks.flatMap(({ elements = [] }) => elements.map(({ value }) => value));
    }, patience);

  const press = (
    value: string,
    { user = "UOWNER", ageSeconds = 0, key = secret } = {},
  ): Promise<Response> => {
    const payload = {
      type: "block_actions",
      user: { id: user },
      response_url: `${slack.url}/response/${waiting}`,
      actions: [{ value }],
    };
    const body = Buffer.from(new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
    const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
    return fetch(`${stack.url}${slackInteraction.path}`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        [slackTimestampHeader]: timestamp,
        [slackSignatureHeader]: slackSignature(key, timestamp, body),
      },
      body,
    });
  };
  const replaced = () =>
    slack.asked.filter(({ path }) => path === `/response/${waiting}`).map(({ body }) => body);

  it("asks in the channel; who presses approves in their own name, once", async () => {
    const [approve = "", deny = ""] = await buttons();
    expect((await press(approve)).status).toBe(200);
    await reaches("completed");
    expect(replaced()).toEqual([expect.stringContaining("Owner has approved")]);
    // The same once more, and the other button: both come too late.
    expect((await press(approve)).status).toBe(200);
    expect((await press(deny)).status).toBe(200);
    expect(replaced().slice(1)).toEqual([
      expect.stringContaining("already"),
      expect.stringContaining("already"),
    ]);
    expect((await invocation()).status).toBe("completed");
  });

  it("is not believed without its signature, nor when it is old, nor for strangers", async () => {
    const [approve = ""] = await buttons();
    expect((await press(approve, { key: "another-secret-of-tests" })).status).toBe(401);
    expect((await press(approve, { ageSeconds: 301 })).status).toBe(401);
    expect((await press(approve, { ageSeconds: -301 })).status).toBe(401);
    expect((await press(approve, { user: "USTRANGER" })).status).toBe(403);
    expect((await press("{}")).status).toBe(400);
    expect((await invocation()).status).toBe("pending");
    expect(replaced()).toEqual([]);
  });
});
