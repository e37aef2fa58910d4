import { it } from "vitest";
import { derivedId } from "#contracts/ids";
import type { RunCommand } from "#contracts/run/commands";
import type { RunEvent } from "#contracts/run/events";
import type { RunReport } from "#contracts/run/outcome";
import { deciderSpec } from "../testing/decider-spec.ts";
import { runDecider } from "./decider.ts";

const { given } = deciderSpec(runDecider);

const run = {
  triggerId: derivedId("trigger", "test"),
  dedupKey: "delivery-1",
  title: "on failure",
  prompt: "Look",
  repository: null,
} as const;
const match: RunCommand = { type: "MatchTrigger", ...run, session: null };
const matched: RunEvent = { type: "TriggerMatched", data: run };
const sessionId = derivedId("session", "one");
const open: RunCommand = { type: "OpenRunSession", sessionId };
const opened: RunEvent = { type: "RunSessionOpened", data: { sessionId } };

it("keeps what its session is made with beside the match", () => {
  const session = { configurationId: derivedId("configuration", "shop"), connections: ["github"] };
  const configured: RunEvent = { type: "RunConfigured", data: session };
  given()
    .when({ type: "MatchTrigger", ...run, session })
    .then(matched, configured);
  given(matched, configured).when(open).then(opened);
});

it("matches once", () => {
  given().when(match).then(matched);
  given(matched).when(match).then();
  given(matched, opened)
    .when({ ...match, prompt: "Look again" })
    .then();
});

const report: RunReport = {
  outcome: "succeeded",
  summary: "Done.",
  citations: [],
  diffRef: null,
  testReportRef: null,
  sideEffectRefs: [],
};
const completion = { sessionId, completionId: "c-1", report };
const complete: RunCommand = { type: "CompleteRun", ...completion };
const completed: RunEvent = { type: "RunCompleted", data: completion };

it("is completed once, by its own session, whenever the session's word arrives", () => {
  given().when(complete).thenRejects("not_found");
  given(matched, opened).when(complete).then(completed);
  given(matched).when(complete).then(completed);
  given(matched, opened, completed).when(complete).then();
  given(matched, completed).when(open).then();
  given(matched, opened, completed)
    .when({ ...complete, completionId: "c-2" })
    .thenRejects("run_already_completed");
  given(matched, opened)
    .when({ ...complete, sessionId: derivedId("session", "two") })
    .thenRejects("forbidden");
});

it("opens one session, after it has matched", () => {
  given().when(open).thenRejects("not_found");
  given(matched).when(open).then(opened);
  given(matched, opened).when(open).then();
  given(matched, opened)
    .when({ type: "OpenRunSession", sessionId: derivedId("session", "two") })
    .thenRejects("idempotency_key_reused");
});

it("waits for each invocation that a person has to decide on, until it is completed", () => {
  const invocationId = derivedId("invocation", "1");
  const pause: RunCommand = { type: "PauseRun", invocationId };
  const resume: RunCommand = { type: "ResumeRun", invocationId };
  const paused: RunEvent = { type: "RunPaused", data: { invocationId } };
  const resumed: RunEvent = { type: "RunResumed", data: { invocationId } };
  given().when(pause).thenRejects("not_found");
  // Its agent may be faster than the word that the session is open.
  given(matched).when(pause).then(paused);
  given(matched, paused, opened).when(pause).then();
  given(matched, paused, opened).when(resume).then(resumed);
  given(matched, opened).when(resume).then();
  given(matched, opened, paused, resumed).when(resume).then();
  given(matched, opened, paused, completed).when(resume).then();
  given(matched, opened, completed).when(pause).then();
});
