/** A session outlives its sandbox, and its agent knows what was said before. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  createSession,
  getSession,
  listMessages,
  pauseSession,
  promptSession,
} from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import { layoutOf } from "#sandbox/providers/local/layout";
import { startTestStack, type TestStack } from "../../testing/test-stack.ts";

const patience = { timeout: 150_000, interval: 200 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
}, 120_000);
afterAll(() => stack.close(), 120_000);

/** The text of the answer to the n-th prompt. */
const answerTo = (sessionId: SessionId, n: number, after?: Position): Promise<string> =>
  vi.waitUntil(async () => {
    const { messages } = await stack.client.call(listMessages, {
      params: { sessionId },
      query: { after },
    });
    const answers = messages.filter(
      ({ role, finish }) => role === "assistant" && finish === "stop",
    );
    return answers[n]?.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  }, patience);

it("an agent whose sandbox is destroyed is told the session's transcript", async () => {
  const { sessionId, position } = await stack.client.call(createSession, {
    headers: {},
    body: { title: "Memory", prompt: "The word is heliotrope." },
  });
  await answerTo(sessionId, 0, position);

  await stack.client.call(pauseSession, { params: { sessionId } });
  await vi.waitUntil(async () => {
    const session = await stack.client.call(getSession, { params: { sessionId }, query: {} });
    return session.status === "paused";
  }, patience);
  await rm(layoutOf(stack.dataDir, sessionId).root, { recursive: true });

  await stack.client.call(promptSession, {
    params: { sessionId },
    headers: {},
    body: { text: "Please recall what I told you." },
  });
  expect(await answerTo(sessionId, 1)).toContain("heliotrope");
}, 300_000);
