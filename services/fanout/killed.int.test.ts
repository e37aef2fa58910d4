/** An instance of the tier that is killed while hundreds watch: they go on at another one. */
import { afterEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { getMe } from "#contracts/http/identity";
import { createSession, listMessages } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import type { ServerFrame } from "#contracts/live/messages";
import type { Message } from "#contracts/transcript/message";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { publishLive } from "#event-store/live/live-channel";
import { startTestProcess, type TestProcess } from "#event-store/testing/child-process";
import { watchSession } from "../client/watch-session.ts";
import { signLiveTicket } from "../identity/signed-tokens.ts";
import { transcriptAggregate } from "../sessions/transcript/transcript-decider.ts";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";

/** Processes compile their programs before they do anything, and 500 come back at once. */
const patience = { timeout: 90_000, interval: 50 };
const watchers = 500;
const messages = 12;
const program = new URL("./testing/fanout-process.ts", import.meta.url);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const startInstance = async ({ environment }: TestStack) => {
  const process = await startTestProcess(program, [JSON.stringify(environment)]);
  closing.push(process.kill);
  return process;
};
const portOf = (process: TestProcess): Promise<number> =>
  vi.waitUntil(() => Number(process.lines[0]?.slice("port ".length)), patience);

const messageOf = (index: number): Message => ({
  id: `msg_${index}`,
  role: "assistant",
  promptId: null,
  parts: [{ kind: "text", id: "prt", text: `This is answer ${index}.` }],
  finish: "stop",
  failure: null,
  usage: null,
  cost: null,
  filesChanged: null,
});

/** What the session's owner does with an answer: its tokens live, then the whole of it for good. */
const say = async ({ program, organization }: TestStack, session: SessionId, index: number) => {
  const { store } = program.platform;
  const message = messageOf(index);
  const tell = (delta: string) =>
    publishLive(
      store,
      { organization, session },
      { type: "token", kind: "text", messageId: message.id, partId: "prt", delta },
    );
  for (const word of ["This ", "is ", "answer ", `${index}.`]) await tell(word);
  await execute(
    store,
    transcriptAggregate,
    { organization, id: session },
    { type: "RecordMessage", epoch: 1, message, author: null },
    newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
  );
  await publishLive(store, { organization, session }, { type: "message", message });
};

/** A watcher's own picture of the transcript, made of nothing but the frames that it got. */
const follow = (openSocket: () => Promise<string>) => {
  const seen = new Map<string, Message>();
  let last = 0;
  let doubled = 0;
  const onFrame = (frame: ServerFrame) => {
    if (frame.type === "init") {
      seen.clear();
      for (const message of frame.messages) seen.set(message.id, message);
      last = frame.seq;
    } else if (frame.type === "live") {
      doubled += frame.seq <= last ? 1 : 0;
      last = frame.seq;
      if (frame.message.type === "message")
        seen.set(frame.message.message.id, frame.message.message);
    }
  };
  let live = 0;
  const watch = watchSession({
    openSocket,
    onFrame,
    onState: ({ status }) => {
      live += status === "live" ? 1 : 0;
    },
    WebSocket,
    reconnectDelayMs: (attempt) => Math.min(100 * 2 ** attempt, 2_000),
  });
  closing.push(watch.close);
  return {
    transcript: () => [...seen.values()].map(({ id, parts }) => ({ id, parts })),
    doubled: () => doubled,
    /** How many connections have got as far as their first frame. */
    connections: () => live,
  };
};

it("500 who watch at an instance that is killed end with the transcript of the read model", async () => {
  const stack = await startTestStack({ ROLES: "projector,gateway" });
  closing.push(stack.close);
  const { sessionId } = await stack.client.call(createSession, { body: { title: "Watched" } });
  const doomed = await startInstance(stack);
  const other = await startInstance(stack);
  let port = await portOf(doomed);
  const otherPort = await portOf(other);
  const { id: userId } = await stack.client.call(getMe);
  const openSocket = async () => {
    const ticket = {
      sessionId,
      organizationId: stack.organization,
      userId,
      access: "watch",
    } as const;
    const { token } = await signLiveTicket(
      stack.program.platform.keys.liveTickets,
      ticket,
      new Date(),
    );
    return `ws://127.0.0.1:${port}/v1/live?ticket=${token}`;
  };
  await say(stack, sessionId, 0);
  const following = Array.from({ length: watchers }, () => follow(openSocket));
  await vi.waitUntil(() => following.every(({ connections }) => connections() > 0), patience);
  for (let index = 1; index < messages; index += 1) {
    if (index === messages / 2) {
      port = otherPort;
      await doomed.kill();
    }
    await say(stack, sessionId, index);
  }
  await vi.waitFor(async () => {
    const params = { sessionId };
    const { messages: kept } = await stack.client.call(listMessages, { params, query: {} });
    expect(kept).toHaveLength(messages);
    const expected = kept.map(({ id, parts }) => ({ id, parts }));
    for (const { transcript } of following) expect(transcript()).toEqual(expected);
  }, patience);
  expect(following.every(({ connections }) => connections() > 1)).toBe(true);
  expect(following.reduce((sum, { doubled }) => sum + doubled(), 0)).toBe(0);
}, 300_000);
