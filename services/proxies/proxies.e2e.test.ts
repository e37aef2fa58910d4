import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openProxy } from "#contracts/http/proxies";
import { createSession, getSession, pauseSession } from "#contracts/http/sessions";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";

const patience = { timeout: 90_000, interval: 200 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

it("reaches the agent's server of a session's own sandbox, and brings a paused one back for it", async () => {
  const { client, url } = stack;
  const { sessionId } = await client.call(createSession, { body: { title: "Proxied" } });
  const params = { sessionId };
  const { path } = await client.call(openProxy, {
    params,
    body: { target: "opencode", access: "read" },
  });
  const titles = async () => {
    const response = await fetch(`${url}${path}session`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { title: string }[]).map(({ title }) => title);
  };
  expect(await titles()).toContain("Proxied");

  const { position } = await client.call(pauseSession, { params });
  await vi.waitUntil(async () => {
    const session = await client.call(getSession, { params, query: { after: position } });
    return session.status === "paused";
  }, patience);
  expect(await titles()).toContain("Proxied");
}, 200_000);
