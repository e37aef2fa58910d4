import { describe, it } from "vitest";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { sessionDecider } from "../aggregate/decider.ts";
import { applied, failure, paused, running } from "../testing/session-events.ts";

const { given } = deciderSpec(sessionDecider);

const [created, ...rest] = running;
const configured: SessionEvent[] = [
  ...(created ? [created] : []),
  { type: "ConfigurationApplied", data: applied },
  ...rest,
];
const request = (requestId: string): SessionCommand => ({ type: "RequestServiceTrial", requestId });
const requested = (requestId: string): SessionEvent => ({
  type: "ServiceTrialRequested",
  data: { requestId },
});
const tried = { requestId: "one", epoch: 7, services: [], failure } as const;
const report: SessionCommand = { type: "ReportServicesTried", ...tried };
const reported: SessionEvent = { type: "ServicesTried", data: { ...tried, services: [] } };

describe("a trial of the services", () => {
  it("is asked for and comes to an end, and the same request again is known", () => {
    given(...configured)
      .when(request("one"))
      .then(requested("one"));
    given(...configured, requested("one"))
      .when(request("one"))
      .then();
    given(...configured, requested("one"))
      .when(report)
      .then(reported);
    given(...configured, requested("one"), reported)
      .when(request("one"))
      .then();
    given(...configured, requested("one"), reported)
      .when(request("two"))
      .then(requested("two"));
  });

  it("is one at a time, of a session with services, in a sandbox", () => {
    given(...configured, requested("one"))
      .when(request("two"))
      .thenRejects("service_trial_running");
    given(...running)
      .when(request("one"))
      .thenRejects("service_not_found");
    given(...configured, paused(7))
      .when(request("one"))
      .thenRejects("session_not_running");
  });

  it("ends with its sandbox, and then there is nothing to report", () => {
    given(...configured, requested("one"), paused(7))
      .when(report)
      .then();
    given(...configured, requested("one"))
      .when({ ...report, epoch: 6 })
      .thenRejects("stale_owner");
  });
});
