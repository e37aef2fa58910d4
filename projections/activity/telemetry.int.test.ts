import { afterAll, beforeAll, expect, it } from "vitest";
import { newId, type PromptId } from "#contracts/ids";
import type { AnyEvent } from "#contracts/event-registry";
import type { Message, MessagePart } from "#contracts/transcript/message";
import { usageOfMessages } from "../messages/usage.ts";
import * as events from "../testing/events.ts";
import { openTestReadModels, type TestReadModels } from "../testing/test-read-models.ts";
import { getActivity } from "./queries.ts";

let models: TestReadModels;
beforeAll(async () => {
  models = await openTestReadModels();
  await models.startProjector();
});
afterAll(async () => {
  await models[Symbol.asyncDispose]();
});

const at = (second: number): string => `2026-03-01T12:00:${String(second).padStart(2, "0")}.250Z`;
const started = (promptId: PromptId): AnyEvent => ({
  type: "PromptStarted",
  data: { epoch: 1, promptId },
});
const url = "https://github.com/acme/shop/pull/7";
const erased: AnyEvent = { type: "TextErased", data: { scope: "session" } };

it("counts the time of prompts that were answered, and no time of an owner that died", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const ref = events.sessionRef(organization);
  const asked = { organization, session: ref.id };
  const [first, second] = [newId("prompt"), newId("prompt")];
  const opened: AnyEvent = {
    type: "PullRequestOpened",
    data: { repository: ".", number: 7, url },
  };
  await writer.write(ref, [events.sessionCreated(), started(first)], at(1));
  await writer.write(ref, [events.promptFinished(first)], at(4));
  await writer.write(ref, [started(second)], at(5));
  await writer.write(
    ref,
    [{ type: "OwnershipAcquired", data: { instance: "other", epoch: 2 } }],
    at(30),
  );
  await reached(await writer.write(ref, [started(second), opened, opened], at(40)));
  expect(await getActivity(sql, asked)).toEqual({
    activeSeconds: 3,
    answeringSince: at(40),
    pullRequests: [url],
  });
  await reached(await writer.write(ref, [events.promptFinished(second)], at(42)));
  expect(await getActivity(sql, asked)).toMatchObject({ activeSeconds: 5, answeringSince: null });
  await reached(await writer.write(ref, [erased], at(50)));
  expect(await getActivity(sql, asked)).toMatchObject({ activeSeconds: 5, pullRequests: [] });
  expect(await getActivity(sql, { ...asked, organization: newId("organization") })).toBeNull();
});

it("adds up each message once, in the form in which it was recorded last", async () => {
  const { sql, writer, reached } = models;
  const organization = newId("organization");
  const session = events.sessionRef(organization);
  const asked = { organization, session: session.id };
  const transcript = events.transcriptRef(organization, session.id);
  const tool = (callId: string, title: string | null): MessagePart => ({
    kind: "tool",
    id: callId,
    callId,
    tool: "bash",
    status: "completed",
    title,
    input: {},
    output: "see https://github.com/acme/shop/pull/1",
    error: null,
    metadata: null,
    truncated: false,
  });
  const message = (id: string, cost: number, parts: MessagePart[]): AnyEvent => {
    const said: Message = {
      id,
      role: "assistant",
      promptId: null,
      parts,
      finish: "stop",
      failure: null,
      usage: { input: 100, output: 10, reasoning: 1, cacheRead: 5, cacheWrite: 2 },
      cost,
      filesChanged: null,
    };
    return { type: "MessageRecorded", data: { epoch: 1, message: said, author: null } };
  };
  const text = (id: string, said: string): MessagePart => ({ kind: "text", id, text: said });
  await writer.write(session, [events.sessionCreated()], at(1));
  await writer.write(transcript, [message("m1", 0.5, [tool("c1", "Run the tests")])], at(2));
  await writer.write(
    transcript,
    [message("m2", 0.25, [text("t", `Opened ${url}, see ${url}.`), tool("c3", null)])],
    at(3),
  );
  // The first one again, which has grown meanwhile: it stays the first.
  await reached(
    await writer.write(
      transcript,
      [message("m1", 0.75, [tool("c1", "Run the tests"), tool("c2", "Fix the cart")])],
      at(4),
    ),
  );
  expect(await usageOfMessages(sql, asked)).toEqual({
    messages: 2,
    toolCalls: 3,
    tokens: { input: 200, output: 20, reasoning: 2, cacheRead: 10, cacheWrite: 4 },
    cost: 1,
    latestTask: "Fix the cart",
    pullRequests: [url],
  });
  await reached(await writer.write(transcript, [erased], at(5)));
  expect(await usageOfMessages(sql, asked)).toMatchObject({
    messages: 2,
    cost: 1,
    latestTask: null,
    pullRequests: [],
  });
  expect(await usageOfMessages(sql, { ...asked, session: newId("session") })).toMatchObject({
    messages: 0,
    cost: 0,
    latestTask: null,
  });
});
