import fc from "fast-check";
import { toolAnswerSchema } from "#contracts/tools/answer";
import type { ToolCallCommand } from "#contracts/tools/commands";
import { toolCallEvents } from "#contracts/tools/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { toolCallsDecider } from "./decider.ts";

const callId = fc.constantFrom("a", "b", "c");

describeDecider("the tool calls of a session", {
  decider: toolCallsDecider,
  events: toolCallEvents,
  commands: fc.oneof<fc.Arbitrary<ToolCallCommand>[]>(
    fc.record({
      type: fc.constant("ReceiveToolCall"),
      callId,
      tool: fc.constantFrom("t1", "t2"),
      toolSchemaVersion: fc.constant(1),
      args: fc.constant({}),
      fingerprint: fc.constantFrom("f1", "f2"),
      now: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-01T02:00:00.000Z"),
      quota: fc.constant({ limit: 2, windowMs: 3_600_000 }),
    }),
    fc.record({
      type: fc.constant("CompleteToolCall"),
      callId,
      answer: arbitraryOf(toolAnswerSchema),
    }),
  ),
  repeated: { ReceiveToolCall: "nothing", CompleteToolCall: "nothing" },
});
