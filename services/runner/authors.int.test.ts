/** Several people, and an automation, in one session: everybody sees who has asked what. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import WebSocket from "ws";
import { addUser, getMe, signIn } from "#contracts/http/identity";
import { listPrompts } from "#contracts/http/prompts";
import { listMessages, openLiveChannel, promptSession } from "#contracts/http/sessions";
import { newId } from "#contracts/ids";
import type { ServerFrame } from "#contracts/live/messages";
import type { ShownMessage } from "#contracts/transcript/view";
import { newCommandMeta } from "#event-store/command-meta";
import { createClient } from "../client/client.ts";
import { watchSession } from "../client/watch-session.ts";
import { queuePrompt } from "../sessions/commands.ts";
import { patience, type RunnerStack, startRunnerStack } from "./testing/runner-stack.ts";

let test: RunnerStack;
beforeAll(async () => {
  test = await startRunnerStack();
}, 120_000);
afterAll(() => test.close(), 60_000);

const runId = newId("run");

/** Somebody of the same organisation. */
const colleague = async () => {
  const { client, url } = test.stack;
  const person = { email: "ada@example.org", name: "Ada Lovelace", role: "member" } as const;
  const { signInToken } = await client.call(addUser, { body: person });
  const signedIn = await createClient({ baseUrl: url }).call(signIn, {
    body: { token: signInToken },
  });
  return {
    user: signedIn.user,
    client: createClient({ baseUrl: url, accessToken: signedIn.accessToken }),
  };
};

const asked = (messages: readonly ShownMessage[]) =>
  messages.filter(({ role }) => role === "user").map(({ author }) => author);

it("names the author of each prompt: while it waits, live, at the start of a watch, and in the transcript", async () => {
  const { client, program } = test.stack;
  const owner = await client.call(getMe, {});
  const ada = await colleague();
  const sessionId = await test.create("one");
  const params = { sessionId };
  await ada.client.call(promptSession, { params, body: { text: "two" } });
  const place = { organization: owner.organizationId, session: sessionId };
  const { platform } = program;
  await queuePrompt(
    { ...platform, defaultModel: "none" },
    place,
    { text: "three", by: runId, idempotencyKey: null },
    newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
  );
  const authors = [
    { kind: "user", userId: owner.id, name: owner.name },
    { kind: "user", userId: ada.user.id, name: "Ada Lovelace" },
    { kind: "automation", runId },
  ];
  const { prompts } = await client.call(listPrompts, { params });
  expect(prompts.map(({ author }) => author)).toEqual(authors);

  const frames: ServerFrame[] = [];
  const openSocket = async () => (await client.call(openLiveChannel, { params })).url;
  const live = watchSession({ openSocket, WebSocket, onFrame: (frame) => frames.push(frame) });
  const told = (): ShownMessage[] =>
    frames.flatMap((frame) =>
      frame.type === "live" && frame.message.type === "message" ? [frame.message.message] : [],
    );
  await vi.waitFor(() => expect(frames).not.toEqual([]), patience);
  await test.startRunner();
  await vi.waitFor(() => expect(asked(told())).toEqual(authors), patience);
  live.close();

  const stored = await vi.waitFor(async () => {
    const { messages } = await client.call(listMessages, { params, query: {} });
    expect(messages.filter(({ finish }) => finish === "stop")).toHaveLength(3);
    return messages;
  }, patience);
  expect(asked(stored)).toEqual(authors);
  expect(stored.filter((message) => message.role === "assistant" && message.author)).toEqual([]);

  let first: ServerFrame | null = null;
  const late = watchSession({ openSocket, WebSocket, onFrame: (frame) => (first ??= frame) });
  await vi.waitFor(() => expect(first).toMatchObject({ type: "init" }), patience);
  late.close();
  expect(asked((first as unknown as { messages: ShownMessage[] }).messages)).toEqual(authors);
}, 300_000);
