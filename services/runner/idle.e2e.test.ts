import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createSession, getSession, listMessages, promptSession } from "#contracts/http/sessions";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";

const patience = { timeout: 150_000, interval: 200 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ SESSION_IDLE_SECONDS: "2" });
}, 120_000);
afterAll(() => stack.close(), 120_000);

const metrics = (): Promise<string> => stack.program.platform.metrics.registry.metrics();

it("a session that nobody uses gives its sandbox back, and its next prompt brings it back", async () => {
  const { sessionId, position } = await stack.client.call(createSession, {
    body: { title: "Idle", prompt: "The word is heliotrope." },
  });
  const params = { sessionId };
  const owned: string[] = [];
  await vi.waitUntil(async () => {
    owned.push(...((await metrics()).match(/^proliferate_owned_sessions \d+$/m) ?? []));
    const session = await stack.client.call(getSession, { params, query: { after: position } });
    return session.status === "paused";
  }, patience);

  expect(owned).toContain("proliferate_owned_sessions 1");
  expect(await metrics()).toMatch(
    /^proliferate_sandbox_boot_stage_seconds_count\{provider="local",stage="launch",outcome="done"\} [1-9]/m,
  );

  await stack.client.call(promptSession, {
    params,
    body: { text: "Please recall what I told you." },
  });
  const answers = await vi.waitUntil(async () => {
    const { messages } = await stack.client.call(listMessages, { params, query: {} });
    const whole = messages.filter(({ role, finish }) => role === "assistant" && finish === "stop");
    return whole.length === 2 && whole;
  }, patience);
  // Its own memory has come back with it: nobody had to tell it of the session.
  expect(JSON.stringify(answers[1])).toContain("heliotrope");
  expect(JSON.stringify(answers[1])).not.toContain("session-record");
}, 300_000);
