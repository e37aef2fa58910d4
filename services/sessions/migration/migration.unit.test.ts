import { describe, expect, it } from "vitest";
import type { SessionEvent } from "#contracts/session/events";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { sessionDecider } from "../aggregate/decider.ts";
import {
  acquired,
  type Command,
  failure,
  pauseRequested,
  queued,
  ready,
  running,
  started,
  starting,
  stopped,
} from "../testing/session-events.ts";

const { given } = deciderSpec(sessionDecider);

const request: Command<"RequestMigration"> = { type: "RequestMigration", sandboxId: "sandbox-1" };
const start: Command<"StartMigration"> = {
  type: "StartMigration",
  epoch: 7,
  generation: 1,
  snapshotId: "im-1",
};
const report: Command<"ReportMigrated"> = {
  type: "ReportMigrated",
  epoch: 7,
  generation: 1,
  sandboxId: "sandbox-2",
  expiresAt: "2026-11-23T08:00:00.000Z",
};
const fail: Command<"ReportMigrationFailed"> = {
  type: "ReportMigrationFailed",
  epoch: 7,
  failure,
};
const endSpare = (generation: number): Command<"ReportSpareEnded"> => ({
  type: "ReportSpareEnded",
  epoch: 7,
  generation,
});
const { type: _start, ...startData } = start;
const { type: _report, ...reportData } = report;
const requested: SessionEvent = { type: "MigrationRequested", data: {} };
const begun: SessionEvent = { type: "MigrationStarted", data: startData };
const migrated: SessionEvent = { type: "SandboxMigrated", data: reportData };
const failedToMove: SessionEvent = { type: "MigrationFailed", data: { epoch: 7, failure } };

describe("a session whose sandbox ends soon", () => {
  it("is moved when it runs in that sandbox and nobody wants it put away", () => {
    given(...running, queued("one"), started(7, "one"))
      .when(request)
      .then(requested);
    given(...running)
      .when({ ...request, sandboxId: "sandbox-0" })
      .then();
    given(...running, pauseRequested)
      .when(request)
      .then();
    given(...running, requested)
      .when(request)
      .then();
  });

  it("queues prompts meanwhile and starts none", () => {
    given(...running, requested)
      .when({ type: "QueuePrompt", ...queued("one").data })
      .then(queued("one"));
    given(...running, requested, queued("one"))
      .when({ type: "StartPrompt", epoch: 7, promptId: queued("one").data.promptId })
      .thenRejects("session_not_running");
  });
});

describe("the move to another sandbox", () => {
  it("keeps the present one until one commit puts the other in its place, which is then a spare", () => {
    given(...running, requested)
      .when(start)
      .then(begun);
    expect(given(...running, requested, begun).state()).toMatchObject({
      status: "migrating",
      sandboxId: "sandbox-1",
      generation: 0,
      spares: [1],
      snapshotId: "im-1",
    });
    given(...running, requested, begun)
      .when(report)
      .then(migrated);
    expect(given(...running, requested, begun, migrated).state()).toMatchObject({
      status: "running",
      sandboxId: "sandbox-2",
      agentSessionId: "agent-1",
      generation: 1,
      spares: [0],
      expiresAt: report.expiresAt,
    });
    given(...running, requested, begun, migrated)
      .when(report)
      .then();
  });

  it("is not to a sandbox that nobody has on record, nor by an owner that was replaced", () => {
    given(...running, requested)
      .when(report)
      .thenRejects("session_not_running");
    given(...running, requested, begun, acquired(8))
      .when(report)
      .thenRejects("stale_owner");
    given(...running, requested, begun, stopped)
      .when(report)
      .thenRejects("session_stopped");
  });

  it("falls back to the present one when it fails, and forgets no sandbox", () => {
    given(...running, requested, begun)
      .when(fail)
      .then(failedToMove);
    expect(given(...running, requested, begun, failedToMove).state()).toMatchObject({
      status: "running",
      sandboxId: "sandbox-1",
      spares: [1],
      migrationFailures: 1,
    });
    given(...running, requested, begun, failedToMove)
      .when(endSpare(1))
      .then({ type: "SpareSandboxEnded", data: { epoch: 7, generation: 1 } });
    given(...running, requested, begun, failedToMove)
      .when(endSpare(0))
      .then();
  });

  it("is begun anew by the next owner, which finds the sandbox that was being made", () => {
    const state = given(...running, requested, begun, acquired(8), starting(8), ready(8)).state();
    expect(state).toMatchObject({ status: "running", generation: 0, spares: [1] });
  });
});
