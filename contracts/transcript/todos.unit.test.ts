import { expect, it } from "vitest";
import type { MessagePart, ToolPart } from "./message.ts";
import { todosOf } from "./todos.ts";

const call = (todos: unknown, more: Partial<ToolPart> = {}): MessagePart => ({
  kind: "tool",
  id: "prt",
  callId: "call",
  tool: "todowrite",
  status: "completed",
  title: null,
  input: { todos },
  output: null,
  error: null,
  metadata: null,
  truncated: false,
  ...more,
});
const first = [{ content: "Read it", status: "in_progress" }];
const second = [{ content: "Read it", status: "completed" }];
const listOf = (...parts: MessagePart[]) => todosOf([{ parts }]);

it("stands as it was written last, over all messages and within one", () => {
  expect(todosOf([])).toBeNull();
  expect(todosOf([{ parts: [call(first)] }, { parts: [] }])).toEqual(first);
  expect(todosOf([{ parts: [call(first)] }, { parts: [call(second)] }])).toEqual(second);
  expect(listOf(call(first), call(second))).toEqual(second);
  expect(listOf(call(first), call([]))).toEqual([]);
});

it("is not changed by a call that has not come to its end, or by what is no list", () => {
  expect(listOf(call(first), call(second, { status: "running" }))).toEqual(first);
  expect(listOf(call(first), call(second, { status: "error" }))).toEqual(first);
  expect(listOf(call(first), call(second, { tool: "read" }))).toEqual(first);
  expect(listOf(call(first), call("nothing"))).toEqual(first);
});

it("is what the tool says that it has taken, where it says so", () => {
  expect(listOf(call(first, { metadata: { todos: second } }))).toEqual(second);
  expect(listOf(call([{ content: "Later", status: "blocked" }]))).toEqual([
    { content: "Later", status: "pending" },
  ]);
});
