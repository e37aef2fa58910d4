import fc from "fast-check";
import type { InvocationCommand } from "#contracts/invocation/commands";
import { invocationEvents } from "#contracts/invocation/events";
import { fullResultSchema } from "#contracts/invocation/full-result";
import { failureSchema } from "#contracts/session/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { invocationDecider } from "./decider.ts";

const [invoked] = invocationEvents;
const expiresAt = "2026-01-01T00:05:00.000Z";
const now = fc.constantFrom("2026-01-01T00:04:59.999Z", "2026-01-01T00:05:00.000Z");
const by = fc.constantFrom("usr_1", "usr_2");
const text = fc.string();
const kept = { status: "kept", attempt: 1, bytes: 20_000, until: expiresAt } as const;

const invocations = fc
  .tuple(arbitraryOf(invoked.data), fc.constantFrom("f1", "f2"))
  .map(([data, fingerprint]): InvocationCommand => ({
    type: "InvokeAction",
    ...data,
    expiresAt: data.mode === "require_approval" ? expiresAt : null,
    fingerprint,
  }));

const resolved = ["invocation_already_resolved"] as const;

describeDecider("an invocation", {
  decider: invocationDecider,
  events: invocationEvents,
  commands: fc.oneof<fc.Arbitrary<InvocationCommand>[]>(
    invocations,
    fc.record({
      type: fc.constant("ApproveAction"),
      by,
      scope: fc.constantFrom("once", "always"),
      editedParams: fc.constantFrom(null, { version: "2" }),
      now,
    }),
    fc.record({ type: fc.constant("DenyAction"), by, reason: text, now }),
    fc.record({ type: fc.constant("ExpireAction"), now }),
    fc.record({ type: fc.constant("StartExecution") }),
    fc.record({ type: fc.constant("RetryExecution") }),
    fc.record({
      type: fc.constant("CompleteAction"),
      result: fc.jsonValue({ maxDepth: 2 }),
      truncated: fc.boolean(),
      fullResult: fc.oneof(fc.constant(null), arbitraryOf(fullResultSchema), fc.constant(kept)),
      durationMs: fc.nat(),
    }),
    fc.record({ type: fc.constant("FailAction"), failure: arbitraryOf(failureSchema) }),
    fc.record({ type: fc.constant("LoseOutcome"), reason: text }),
    fc.record({ type: fc.constant("ReadFullResult"), by, now }),
  ),
  repeated: {
    InvokeAction: "nothing",
    ApproveAction: resolved,
    DenyAction: resolved,
    ExpireAction: "nothing",
    StartExecution: resolved,
    RetryExecution: "events",
    CompleteAction: resolved,
    FailAction: resolved,
    LoseOutcome: resolved,
    ReadFullResult: "events",
  },
});
