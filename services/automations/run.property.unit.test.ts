import fc from "fast-check";
import type { RunCommand } from "#contracts/run/commands";
import { runEvents } from "#contracts/run/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { runDecider } from "./decider.ts";

const [matched, opened] = runEvents;

describeDecider("a run", {
  decider: runDecider,
  events: runEvents,
  commands: fc.oneof(
    arbitraryOf(matched.data).map((data): RunCommand => ({ type: "MatchTrigger", ...data })),
    arbitraryOf(opened.data).map((data): RunCommand => ({ type: "OpenRunSession", ...data })),
  ),
  repeated: { MatchTrigger: "nothing", OpenRunSession: "nothing" },
});
