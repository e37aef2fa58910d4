import { expect, it } from "vitest";
import type { ToolCallPart } from "./schemas.ts";
import { readRecording } from "./testing/recordings.ts";
import { toolPartOf } from "./tool-part.ts";

const recordedTool = (name: string): ToolCallPart => {
  const parts = readRecording(name).messages.flatMap((message) => message.parts);
  const part = parts.find(({ type }) => type === "tool");
  if (part?.type !== "tool") throw new Error(`No tool in the recording ${name}.`);
  return part;
};

const call = (tool: string, state: ToolCallPart["state"]): ToolCallPart => ({
  id: "prt_1",
  messageID: "msg_1",
  sessionID: "ses_1",
  type: "tool",
  callID: "call_1",
  tool,
  state,
});

const ended = (tool: string, metadata: Record<string, unknown>, input = {}) =>
  toolPartOf(call(tool, { status: "completed", input, output: "ok", metadata }));

it.each([
  ["bash", { exit: 0 }],
  ["write", { diagnostics: {}, filepath: expect.any(String) as string, exists: false }],
  ["question", { answers: [["A"]] }],
  ["read", { loaded: [] }],
  ["todo", { todos: [{ content: "x", status: "pending", priority: "high" }] }],
  ["tool", null],
])(
  "the tool of the recording %s tells beside its output only what is not said there",
  (name, metadata) => {
    expect(toolPartOf(recordedTool(name))).toMatchObject({ metadata, truncated: false });
  },
);

it("what the input says already is not told again", () => {
  const todos = [{ content: "Test it", status: "pending" }];
  expect(ended("todowrite", { todos: structuredClone(todos) }, { todos }).metadata).toBeNull();
});

it("an edit's diff is told once, with how many lines it adds and takes away", () => {
  const diff = "--- a\n+++ b\n@@ -1 +1,2 @@\n-one\n+two\n+three\n";
  const filediff = { file: "a", patch: diff, additions: 2, deletions: 1 };
  expect(ended("edit", { diff, filediff, truncated: false }).metadata).toEqual({
    diff,
    filediff: { file: "a", additions: 2, deletions: 1 },
  });
  const another = { ...filediff, patch: "another" };
  expect(ended("edit", { diff, filediff: another }).metadata).toEqual({ diff, filediff: another });
});

it("a command that runs tells what it has printed once: as its output", () => {
  const metadata = { output: "first\n", description: "Prints" };
  expect(toolPartOf(call("bash", { status: "running", input: {}, metadata }))).toMatchObject({
    output: "first\n",
    metadata: null,
    truncated: false,
  });
});

it("a tool that failed tells too", () => {
  const failed = call("bash", { status: "error", input: {}, error: "no", metadata: { exit: 2 } });
  expect(toolPartOf(failed).metadata).toEqual({ exit: 2 });
});

it("long texts are cut, and a long list is left out rather than shown in part", () => {
  expect(ended("edit", { diff: "d".repeat(30_001) })).toMatchObject({
    metadata: { diff: "d".repeat(30_000) },
    truncated: true,
  });
  const many = Array.from({ length: 20_000 }, (_, index) => index);
  expect(ended("search", { many })).toMatchObject({ metadata: null, truncated: true });
});
