import { describe, expect, it } from "vitest";
import type { SessionEvent } from "#contracts/session/events";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { sessionDecider } from "../aggregate/decider.ts";
import {
  failure,
  finished,
  paused,
  pauseRequested,
  promptId,
  queued,
  resumeRequested,
  running,
  started,
} from "../testing/session-events.ts";

const { given } = deciderSpec(sessionDecider);

const idle = (after: string | null) =>
  ({ type: "RequestIdlePause", after: after === null ? null : promptId(after) }) as const;
const foundIdle: SessionEvent = { type: "SessionFoundIdle", data: {} };
const pauseFailed: SessionEvent = { type: "IdlePauseFailed", data: { epoch: 7, failure } };
const sandboxEnded: SessionEvent = { type: "IdleSandboxEnded", data: { epoch: 7, failure } };
const answered = [...running, queued("one"), started(7, "one"), finished(7, "one")];
const goingToSleep = [...answered, foundIdle, pauseRequested];

describe("a session that nobody uses", () => {
  it("is paused when nothing was asked since it came to rest", () => {
    given(...answered)
      .when(idle("one"))
      .then(foundIdle, pauseRequested);
    given(...running)
      .when(idle(null))
      .then(foundIdle, pauseRequested);
  });

  it("is left alone when it is at work, was at work since, or sleeps already", () => {
    given(...answered, queued("two"))
      .when(idle("one"))
      .then();
    given(...answered, queued("two"), started(7, "two"), finished(7, "two"))
      .when(idle("one"))
      .then();
    given(...answered, { type: "SnapshotRequested", data: { requestId: "r", message: null } })
      .when(idle("one"))
      .then();
    given(...goingToSleep)
      .when(idle("one"))
      .then();
    given(...goingToSleep, paused(7))
      .when(idle("one"))
      .then();
  });
});

describe("an idle sandbox that cannot be put away", () => {
  const report = { type: "ReportIdlePauseFailed", epoch: 7, failure } as const;
  const end = { type: "ReportIdleSandboxEnded", epoch: 7, failure } as const;

  it("has its failures counted until somebody comes back", () => {
    given(...goingToSleep)
      .when(report)
      .then(pauseFailed);
    expect(given(...goingToSleep, pauseFailed, pauseFailed).state()).toMatchObject({
      idlePause: { failures: 2 },
    });
    given(...goingToSleep, pauseFailed, queued("two"))
      .when(report)
      .then();
  });

  it("is ended once, and the session comes back for whoever wants it", () => {
    given(...goingToSleep)
      .when(end)
      .then(sandboxEnded);
    given(...goingToSleep, sandboxEnded)
      .when(end)
      .then();
    given(...goingToSleep, resumeRequested)
      .when(end)
      .then(sandboxEnded, resumeRequested);
    expect(given(...goingToSleep, sandboxEnded, queued("two")).state()).toMatchObject({
      status: "pending",
      pause: "none",
    });
  });
});
