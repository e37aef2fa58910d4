import { expect, it } from "vitest";
import type { ToolCallCommand } from "#contracts/tools/commands";
import type { ToolCallEvent } from "#contracts/tools/events";
import { deciderSpec } from "../testing/decider-spec.ts";
import { rememberedCalls } from "./call-state.ts";
import { toolCallsDecider } from "./decider.ts";

const { given } = deciderSpec(toolCallsDecider);

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const receive = (callId: string, minute: number): ToolCallCommand => ({
  type: "ReceiveToolCall",
  callId,
  tool: "save_snapshot",
  toolSchemaVersion: 1,
  args: {},
  fingerprint: "f1",
  now: at(minute),
  quota: { limit: 2, windowMs: 10 * 60_000 },
});
const received = (callId: string, minute: number): ToolCallEvent => ({
  type: "ToolCallReceived",
  data: {
    callId,
    tool: "save_snapshot",
    toolSchemaVersion: 1,
    args: {},
    fingerprint: "f1",
    at: at(minute),
  },
});
const answer = { success: true, result: "Saved." };
const complete: ToolCallCommand = { type: "CompleteToolCall", callId: "a", answer };
const completed: ToolCallEvent = { type: "ToolCallCompleted", data: { callId: "a", answer } };

it("takes a call once, and answers it once", () => {
  given().when(receive("a", 0)).then(received("a", 0));
  given(received("a", 0)).when(receive("a", 1)).then();
  given(received("a", 0)).when(complete).then(completed);
  given(received("a", 0), completed)
    .when({ ...complete, answer: { success: false, result: "Later." } })
    .then();
  given().when(complete).thenRejects("not_found");
});

it("refuses an id that comes again with something else", () => {
  given(received("a", 0))
    .when({ ...receive("a", 1), fingerprint: "f2" } as ToolCallCommand)
    .thenRejects("idempotency_key_reused");
});

it("lets so many calls through in so long, and counts no repetition", () => {
  const two = [received("a", 0), received("b", 5)];
  given(...two)
    .when(receive("c", 9))
    .thenRejects("tool_quota_exceeded");
  given(...two)
    .when(receive("b", 9))
    .then();
  given(...two)
    .when(receive("c", 10))
    .then(received("c", 10));
  given(...two)
    .when({ ...receive("c", 9), tool: "request_env_variables" } as ToolCallCommand)
    .then({
      type: "ToolCallReceived",
      data: { ...received("c", 9).data, tool: "request_env_variables" },
    } as ToolCallEvent);
});

it("forgets the oldest calls", () => {
  const many = Array.from({ length: rememberedCalls + 5 }, (_, n) => received(`call-${n}`, n));
  const { calls } = given(...many).state();
  expect(calls).toHaveLength(rememberedCalls);
  expect(calls[0]?.callId).toBe("call-5");
});
