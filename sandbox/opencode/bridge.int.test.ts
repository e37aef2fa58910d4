import { afterEach, expect, test } from "vitest";
import type { AgentEvent } from "#contracts/agent";
import { watchSession, type WatchLimits } from "./bridge.ts";
import { openOpencodeClient } from "./client.ts";
import { messageOf } from "./message.ts";
import {
  startOpencodeStandIn,
  type Connection,
  type OpencodeStandIn,
} from "./testing/opencode-stand-in.ts";
import { readRecording } from "./testing/recordings.ts";
import { transcriptView } from "./testing/transcript-view.ts";

let server: OpencodeStandIn | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const { events, messages, sessionId } = readRecording("bash");
const stored = messages.flatMap(({ info, parts }) =>
  info.role === "assistant" ? [messageOf(info, parts)] : [],
);
const idle = { type: "idle" };
const busy = { type: "busy" };

/** Just after the first tool has begun. */
const middle = events.findIndex((event) => event.includes('"status":"running"')) + 1;
/** Just before the tool's result. */
const toolEnd = events.findIndex((event) => event.includes('"status":"completed"'));
const promptOnly = messages.filter(({ info }) => info.role === "user");

/** What waits for leave after each event of the recording that tells of it. */
const askedAndAnswered = events.flatMap((event): string[][] => {
  if (event.includes('"permission.asked"')) return [[/per_\w+/.exec(event)?.[0] ?? ""]];
  return event.includes('"permission.replied"') ? [[]] : [];
});

const watch = async (connections: readonly Connection[], limits: Partial<WatchLimits> = {}) => {
  server = await startOpencodeStandIn(sessionId, connections);
  const client = openOpencodeClient({ baseUrl: server.baseUrl, authorization: "Basic none" });
  const told: AgentEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of watchSession({
    client,
    opencodeSessionId: sessionId,
    signal,
    limits,
  })) {
    told.push(event);
    if (event.type === "turn_idle" || event.type === "turn_failed") break;
  }
  return told;
};

test("a connection that breaks in the middle of a turn loses nothing and repeats nothing", async () => {
  const told = await watch([
    { events: events.slice(0, middle), status: busy, messages: [], hold: false },
    { events: events.slice(toolEnd), status: busy, messages: promptOnly, hold: true },
  ]);
  const view = transcriptView(told);
  expect([...view.messages.values()]).toEqual(stored);
  expect(told.filter(({ type }) => type === "message_completed")).toHaveLength(stored.length);
  expect(view.turns).toEqual(["turn_started", "turn_idle"]);
});

test("a turn that ended while nobody listened is told from what is stored", async () => {
  const told = await watch([
    { events: events.slice(0, middle), status: busy, messages: [], hold: false },
    { events: [], status: idle, messages, hold: true },
  ]);
  const view = transcriptView(told);
  expect([...view.messages.values()]).toEqual(stored);
  expect(view.turns).toEqual(["turn_started", "turn_idle"]);
});

test("a connection that has fallen silent is taken for dead, and nothing is lost", async () => {
  const connections: readonly Connection[] = [
    { events: events.slice(0, middle), status: busy, messages: [], hold: true },
    { events: [], status: idle, messages, hold: true },
  ];
  const told = await watch(connections, { silenceMs: 1_000, settleMs: 600_000 });
  const view = transcriptView(told);
  expect([...view.messages.values()]).toEqual(stored);
  expect(view.turns).toEqual(["turn_started", "turn_idle"]);
});

test("a turn of which the server knows nothing any more has failed, and its tool with it", async () => {
  const stopped = messages.slice(0, 2).map(({ info, parts }) => ({
    info: { ...info, time: { created: info.time.created } },
    parts: parts.map((part) =>
      part.type === "tool"
        ? { ...part, state: { status: "running", input: part.state.input } }
        : part,
    ),
  }));
  const told = await watch([{ events: [], status: idle, messages: stopped, hold: true }], {
    settleMs: 300,
  });
  const view = transcriptView(told);
  expect(view.turns).toEqual(["turn_started", "turn_failed:agent_interrupted"]);
  const [message] = view.messages.values();
  expect(message?.failure?.code).toBe("agent_interrupted");
  expect(message?.parts.find(({ kind }) => kind === "tool")).toMatchObject({ status: "error" });
});

test("a turn without any progress is aborted", async () => {
  const told = await watch([{ events: [], status: busy, messages: promptOnly, hold: true }], {
    stuckMs: 300,
  });
  expect(transcriptView(told).turns).toEqual(["turn_started", "turn_failed:agent_stuck"]);
  expect(server?.aborts()).toBe(1);
});

test("a turn is not stuck while a tool runs", async () => {
  const running = { events: events.slice(0, middle), status: busy, messages: [], hold: true };
  const limits = { stuckMs: 1_000, settleMs: 10, silenceMs: 3_000 };
  const told = await watch([running, { ...running, events: events.slice(middle) }], limits);
  expect(transcriptView(told).turns).toEqual(["turn_started", "turn_idle"]);
  expect(server?.aborts()).toBe(0);
});

test("a turn is not stuck while a tool waits for leave, and who connects is told what waits", async () => {
  const ask = { id: "per_1", sessionID: "ses_sent_out", permission: "bash", patterns: ["ls"] };
  const waiting = {
    events: [],
    status: busy,
    messages: promptOnly,
    permissions: [ask],
    hold: true,
  };
  const limits = { stuckMs: 1_000, settleMs: 10, silenceMs: 3_000 };
  const told = await watch([waiting, { ...waiting, events, permissions: [] }], limits);
  expect(told.filter(({ type }) => type === "tools_asking")).toMatchObject([
    { asks: [{ id: "per_1", conversation: "ses_sent_out", tool: "bash", patterns: ["ls"] }] },
    { asks: [] },
    ...askedAndAnswered.map((ids) => ({ asks: ids.map((id) => ({ id })) })),
  ]);
  expect(transcriptView(told).turns).toEqual(["turn_started", "turn_idle"]);
  expect(server?.aborts()).toBe(0);
});

test("a model that stays overloaded is given up", async () => {
  const overloaded = readRecording("err529");
  const retryAt = overloaded.events.findIndex((event) => event.includes('"type":"retry"')) + 1;
  server = await startOpencodeStandIn(overloaded.sessionId, [
    { events: overloaded.events.slice(0, retryAt), status: busy, messages: [], hold: true },
  ]);
  const client = openOpencodeClient({ baseUrl: server.baseUrl, authorization: "Basic none" });
  const told: AgentEvent[] = [];
  for await (const event of watchSession({
    client,
    opencodeSessionId: overloaded.sessionId,
    signal: new AbortController().signal,
    limits: { retryMs: 300 },
  })) {
    told.push(event);
    if (event.type === "turn_failed") break;
  }
  expect(told.filter(({ type }) => type === "retrying")).toMatchObject([{ attempt: 1 }]);
  expect(transcriptView(told).turns).toEqual(["turn_started", "turn_failed:model_overloaded"]);
  expect(server.aborts()).toBe(1);
});

test("a watch ends at once when its server's sandbox has ended", async () => {
  const broken = { events: events.slice(0, middle), status: busy, messages: [], hold: false };
  server = await startOpencodeStandIn(sessionId, [broken, broken, { ...broken, hold: true }]);
  const client = openOpencodeClient({ baseUrl: server.baseUrl, authorization: "Basic none" });
  let asked = 0;
  const watching = watchSession({
    client,
    opencodeSessionId: sessionId,
    signal: new AbortController().signal,
    // The first connection broke for some other reason.
    isGone: () => Promise.resolve(++asked > 1),
  });
  const drain = async () => {
    for await (const _event of watching);
  };
  await expect(drain()).rejects.toMatchObject({ code: "agent_unreachable" });
  expect(asked).toBe(2);
});

test("a server that stays away fails the watch, and an aborted watch just ends", async () => {
  server = await startOpencodeStandIn(sessionId, []);
  const { baseUrl } = server;
  await server.close();
  server = null;
  const client = openOpencodeClient({ baseUrl, authorization: "Basic none" });
  const options = { client, opencodeSessionId: sessionId, limits: { unreachableMs: 300 } };
  const lost = watchSession({ ...options, signal: new AbortController().signal }).next();
  await expect(lost).rejects.toMatchObject({ code: "agent_unreachable" });

  const ended = watchSession({ ...options, signal: AbortSignal.abort() }).next();
  await expect(ended).resolves.toEqual({ done: true, value: undefined });
});
