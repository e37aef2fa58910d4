import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
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

it("reaches the sidecar beside the agent, and a terminal in it", async () => {
  const { client, url } = stack;
  const { sessionId } = await client.call(createSession, { body: { title: "With a terminal" } });
  const open = (access: "read" | "write") =>
    client.call(openProxy, { params: { sessionId }, body: { target: "sidecar", access } });
  const { path } = await open("read");
  // It is started once the agent can work.
  await vi.waitUntil(async () => (await fetch(`${url}${path}api/health`)).ok, patience);
  const repositories = await fetch(`${url}${path}api/git/repos`);
  expect([repositories.status, await repositories.json()]).toMatchObject([200, {}]);

  const { path: writable } = await open("write");
  const terminal = new WebSocket(`${url.replace(/^http/, "ws")}${writable}api/terminal`);
  let output = "";
  terminal.on("message", (data: Buffer) => (output += data.toString()));
  await new Promise((resolve, reject) => terminal.once("open", resolve).once("error", reject));
  // The shell's prompt may come before these keystrokes are shown, or between them and the answer.
  terminal.send("echo answer-$((6 * 7))\r");
  await vi.waitUntil(() => output.includes("answer-42"), patience);
  terminal.close();
}, 200_000);
