import fc from "fast-check";
import { derivedId } from "#contracts/ids";
import type { RunCommand } from "#contracts/run/commands";
import { runEvents } from "#contracts/run/events";
import { sessionOfRunSchema } from "#contracts/run/session-of-run";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { runDecider } from "./decider.ts";

const [matched, , , , , completed] = runEvents;

const sessionId = fc.constantFrom(derivedId("session", "1"), derivedId("session", "2"));

describeDecider("a run", {
  decider: runDecider,
  events: runEvents,
  commands: fc.oneof(
    fc
      .tuple(arbitraryOf(matched.data), arbitraryOf(sessionOfRunSchema.nullable()))
      .map(([data, session]): RunCommand => ({ type: "MatchTrigger", ...data, session })),
    // Few ids, so that commands meet.
    sessionId.map((id): RunCommand => ({ type: "OpenRunSession", sessionId: id })),
    fc
      .tuple(fc.constantFrom("PauseRun", "ResumeRun"), fc.constantFrom("1", "2"))
      .map(([type, id]): RunCommand => ({ type, invocationId: derivedId("invocation", id) })),
    fc
      .tuple(arbitraryOf(completed.data), sessionId, fc.constantFrom("a", "b"))
      .map(([{ report }, id, completionId]): RunCommand => ({
        type: "CompleteRun",
        sessionId: id,
        completionId,
        report,
      })),
  ),
  repeated: {
    MatchTrigger: "nothing",
    OpenRunSession: "nothing",
    PauseRun: "nothing",
    ResumeRun: "nothing",
    CompleteRun: "nothing",
  },
});
