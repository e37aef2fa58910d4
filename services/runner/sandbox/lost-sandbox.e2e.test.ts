import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { findSandboxProcesses } from "#sandbox/providers/local/processes";
import { layoutOf } from "#sandbox/providers/local/layout";
import { openLiveWatch } from "../../demo/live-watch.ts";
import { startTestStack, type TestStack } from "../../testing/test-stack.ts";

const patience = { timeout: 90_000, interval: 100 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const killSandbox = async (sessionId: SessionId): Promise<void> => {
  const { id } = layoutOf(stack.dataDir, sessionId);
  for (const { pid } of await findSandboxProcesses(id)) process.kill(pid, "SIGKILL");
};

it("a sandbox that is killed in the middle of an answer is noticed and brought up again", async () => {
  const { sessionId } = await stack.client.call(createSession, {
    headers: {},
    body: { title: "Loss", prompt: "Give me a slow answer." },
  });
  const statuses: string[] = [];
  const watch = openLiveWatch(stack.client, sessionId, (message) => {
    if (message.type === "status") statuses.push(message.status);
  });
  await vi.waitUntil(() => watch.tokens() > 5, patience);
  const before = statuses.length;
  await killSandbox(sessionId);
  await vi.waitUntil(() => statuses.slice(before).includes("running"), patience);
  watch.close();
  expect(statuses.slice(before)).toEqual(["starting", "running"]);
}, 200_000);
