import { describe, expect, test } from "vitest";
import type { AgentEvent } from "#contracts/agent";
import { maxCommitBytes } from "#contracts/commit";
import { parseFrame, type OpencodeFrame } from "./events.ts";
import { filesChangedOf } from "./files-changed.ts";
import { messageOf } from "./message.ts";
import type { FileDiff } from "./schemas.ts";
import { readRecording, recordingNames } from "./testing/recordings.ts";
import { transcriptView } from "./testing/transcript-view.ts";
import { turnReader } from "./turn-reader.ts";

const framesOf = (events: readonly string[]): OpencodeFrame[] =>
  events.map(parseFrame).filter((frame) => frame !== null);

const expectedEnd: Readonly<Record<string, string>> = {
  abort: "turn_aborted",
  err400: "turn_failed:model_failed",
  err401: "turn_failed:model_unauthorized",
  // Its owner gave up on the overloaded model and aborted; OpenCode reports no error then.
  err529: "turn_aborted",
};

describe.each(recordingNames)("the recording %s", (name) => {
  const { events, messages } = readRecording(name);
  const [question] = messages;
  const diffs = question?.info.role === "user" ? question.info.summary?.diffs : undefined;
  const stored = messages.flatMap(({ info, parts }, index) =>
    info.role === "assistant"
      ? [
          {
            ...messageOf(info, parts),
            filesChanged: index === messages.length - 1 ? filesChangedOf(diffs ?? []) : null,
          },
        ]
      : [],
  );

  test("is told as OpenCode has stored it, in one turn", () => {
    const reader = turnReader(new Set());
    const told = framesOf(events).flatMap((frame) => reader.push(frame));
    const view = transcriptView(told);

    expect([...view.messages.values()]).toEqual(stored);
    expect(view.turns).toEqual(["turn_started", expectedEnd[name] ?? "turn_idle"]);
    expect(/^turn_(idle|failed)$/.test(told.at(-1)?.type ?? "")).toBe(true);
    const spoken = stored.flatMap(({ parts }) => parts).filter((part) => part.kind !== "tool");
    expect(view.streamed).toEqual(new Map(spoken.map((part) => [part.id, part.text])));
  });

  test("survives a lost connection at every place", () => {
    const frames = framesOf(events);
    for (let cut = 0; cut <= frames.length; cut += 1) {
      const reader = turnReader(new Set());
      const told = [
        ...frames.slice(0, cut).flatMap((frame) => reader.push(frame)),
        ...reader.reconcile(messages, { type: "idle" }),
        // The connection's buffer may hold frames that are older than what was read.
        ...frames.slice(cut).flatMap((frame) => reader.push(frame)),
      ];
      const view = transcriptView(told);
      expect([...view.messages.values()], `cut at ${cut}`).toEqual(stored);
      expect(view.turns, `cut at ${cut}`).toEqual([
        "turn_started",
        expectedEnd[name] ?? "turn_idle",
      ]);
      expect(reader.turnOpen()).toBe(false);
    }
  });

  test("is not told again to an owner that has recorded it", () => {
    const reader = turnReader(new Set(stored.map(({ id }) => id)));
    expect(reader.reconcile(messages, { type: "idle" })).toEqual([]);
    expect(reader.turnOpen()).toBe(false);
  });
});

describe("a turn that OpenCode does not end", () => {
  test("is closed with its tools when it is given up", () => {
    const frames = framesOf(readRecording("bash").events);
    const running = frames.findIndex(
      (frame) =>
        frame.type === "message.part.updated" &&
        frame.properties.part.type === "tool" &&
        frame.properties.part.state.status === "running",
    );
    const reader = turnReader(new Set());
    frames.slice(0, running + 1).forEach((frame) => reader.push(frame));
    expect(reader.toolRunning()).toBe(true);

    const failure = { code: "agent_interrupted", message: "The sandbox went away." };
    const told = reader.giveUp(failure);
    const [message] = transcriptView(told).messages.values();
    expect(message?.failure).toEqual(failure);
    expect(message?.parts.find((part) => part.kind === "tool")).toMatchObject({
      status: "error",
      error: failure.message,
    });
    expect(told.at(-1)).toEqual({ type: "turn_failed", failure, aborted: false });
    expect(reader.giveUp(failure)).toEqual([]);
  });

  test("is not ended by the late idle of the turn before it", () => {
    const aborted = readRecording("abort");
    const frames = framesOf(aborted.events);
    const lateIdle = frames.slice(-2);
    const reader = turnReader(new Set());
    frames.slice(0, -2).forEach((frame) => reader.push(frame));
    const prompt = {
      id: "msg_ffffffffffff00000000000000",
      role: "user",
      time: { created: 1 },
    } as const;

    const told = [
      ...reader.push({
        type: "message.updated",
        properties: { info: { ...prompt, sessionID: aborted.sessionId } },
      }),
      ...lateIdle.flatMap((frame) => reader.push(frame)),
    ];
    expect(told).toEqual([{ type: "turn_started" }] satisfies AgentEvent[]);
    expect(reader.turnOpen()).toBe(true);
  });
});

test("what was said before the model's answer broke off is dropped, the tools stay", () => {
  const { events, sessionId } = readRecording("bash");
  const reader = turnReader(new Set());
  const frames = framesOf(events);
  const firstAnswer = frames.findIndex(
    (frame) => frame.type === "message.part.updated" && frame.properties.part.type === "other",
  );
  const before = transcriptView(
    frames.slice(0, firstAnswer).flatMap((frame) => reader.push(frame)),
  );
  const [spokenId] = before.streamed.keys();
  const messageId = reader
    .giveUp({ code: "x", message: "x" })
    .flatMap((event) => (event.type === "message_completed" ? [event.message.id] : []))[0];

  const told = reader.push({
    type: "message.part.updated",
    properties: {
      part: {
        id: "prt_ffffffffffff00000000000000",
        messageID: messageId ?? "",
        sessionID: sessionId,
        type: "step-start",
      },
    },
  });
  expect(told).toEqual([{ type: "parts_dropped", messageId, partIds: [spokenId] }]);
});

describe("the files that a turn has changed", () => {
  const { events, messages, sessionId } = readRecording("write");
  const [question] = messages;
  const promptId = question?.info.id ?? "";
  const diff = { file: "new.txt", additions: 2, deletions: 1, status: "added" } as const;
  const summary = (...diffs: FileDiff[]): OpencodeFrame => ({
    type: "message.updated",
    properties: {
      info: {
        id: promptId,
        sessionID: sessionId,
        role: "user",
        time: { created: 1 },
        summary: { diffs },
      },
    },
  });
  /** As if OpenCode had not looked yet. */
  const frames = framesOf(events).filter(
    (frame) =>
      !(
        frame.type === "message.updated" &&
        frame.properties.info.role === "user" &&
        frame.properties.info.summary
      ),
  );
  const told = (events: readonly AgentEvent[]) =>
    [...transcriptView(events).messages.values()].map(({ filesChanged }) => filesChanged);
  const oneFile = {
    count: 1,
    additions: 2,
    deletions: 1,
    files: [{ path: "new.txt", status: "added", additions: 2, deletions: 1 }],
  };

  test("stand on its last message, when they are known before its end, and when they come after it", () => {
    const early = turnReader(new Set());
    const before = frames.slice(0, -2).flatMap((frame) => early.push(frame));
    const known = [...before, ...early.push(summary(diff))];
    const end = frames.slice(-2).flatMap((frame) => early.push(frame));
    expect(told([...known, ...end])).toEqual([null, oneFile]);

    const late = turnReader(new Set());
    const turn = frames.flatMap((frame) => late.push(frame));
    expect(told(turn)).toEqual([null, null]);
    const after = late.push(summary(diff));
    expect(after.map(({ type }) => type)).toEqual(["message_completed"]);
    expect(told([...turn, ...after])).toEqual([null, oneFile]);
    expect(late.push(summary(diff))).toEqual([]);
    expect(late.turnOpen()).toBe(false);
  });

  test("stand on a message that calls tools only if the turn has ended with it", () => {
    const reader = turnReader(new Set());
    const next = frames.findLastIndex(
      (frame) =>
        frame.type === "message.updated" &&
        frame.properties.info.role === "assistant" &&
        frame.properties.info.id === messages[1]?.info.id,
    );
    const step = frames.slice(0, next + 1).flatMap((frame) => reader.push(frame));
    expect(told([...step, ...reader.push(summary(diff))])).toEqual([null]);
    const end = reader.push({ type: "session.idle", properties: { sessionID: sessionId } });
    expect(end.map(({ type }) => type)).toEqual(["message_completed", "turn_idle"]);
    expect(told(end)).toEqual([oneFile]);
  });

  test("are read again after a lost connection, and not told to an owner that has recorded the message", () => {
    const stored = messages.map((message) =>
      message.info.role === "user"
        ? { ...message, info: { ...message.info, summary: { diffs: [diff] } } }
        : message,
    );
    const reader = turnReader(new Set());
    expect(told(reader.reconcile(stored, { type: "idle" }))).toEqual([null, oneFile]);

    const nextOwner = turnReader(new Set(messages.map(({ info }) => info.id)));
    expect(nextOwner.reconcile(stored, { type: "idle" })).toEqual([]);
    expect(nextOwner.push(summary(diff))).toEqual([]);
  });

  test("are counted, and the first of very many are named", () => {
    const many = Array.from({ length: 5_000 }, () => ({ ...diff, file: "语".repeat(5_000) }));
    const reader = turnReader(new Set());
    const [last] = told([...frames, summary(...many)].flatMap((frame) => reader.push(frame))).slice(
      -1,
    );
    expect(last).toMatchObject({ count: 5_000, additions: 10_000, deletions: 5_000 });
    expect(last?.files).toHaveLength(200);
    expect(Buffer.byteLength(JSON.stringify(last))).toBeLessThan(maxCommitBytes / 2);
  });
});

test("unknown event types are ignored, known ones of another shape are refused", () => {
  expect(parseFrame('{"type":"todo.updated","properties":{}}')).toBeNull();
  expect(() =>
    parseFrame('{"type":"session.status","properties":{"status":{"type":"asleep"}}}'),
  ).toThrowError(expect.objectContaining({ code: "agent_reply_invalid" }));
});
