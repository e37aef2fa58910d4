import { describe, expect, test } from "vitest";
import type { AgentEvent } from "#contracts/agent";
import { parseFrame, type OpencodeFrame } from "./events.ts";
import { messageOf } from "./message.ts";
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
  const stored = messages.flatMap(({ info, parts }) =>
    info.role === "assistant" ? [messageOf(info, parts)] : [],
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

test("unknown event types are ignored, known ones of another shape are refused", () => {
  expect(parseFrame('{"type":"todo.updated","properties":{}}')).toBeNull();
  expect(() =>
    parseFrame('{"type":"session.status","properties":{"status":{"type":"asleep"}}}'),
  ).toThrowError(expect.objectContaining({ code: "agent_reply_invalid" }));
});
