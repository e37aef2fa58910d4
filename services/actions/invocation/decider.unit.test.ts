import { describe, expect, it } from "vitest";
import { derivedId } from "#contracts/ids";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { InvocationEvent } from "#contracts/invocation/events";
import type { FullResult } from "#contracts/invocation/full-result";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { invocationDecider } from "./decider.ts";

const { given } = deciderSpec(invocationDecider);

const sessionId = derivedId("session", "test");
const expiresAt = "2026-01-01T00:05:00.000Z";
const before = "2026-01-01T00:04:59.999Z";
const request = {
  sessionId,
  integration: "demo",
  action: "publish",
  params: { version: "1.0.0" },
  risk: "write",
  modeSource: "inferred",
  ruleId: null,
  drifted: false,
  fingerprint: "f1",
} as const;

type Mode = "allow" | "require_approval" | "deny";
const invoke = (mode: Mode, fingerprint = "f1"): InvocationCommand => ({
  type: "InvokeAction",
  ...request,
  mode,
  expiresAt: mode === "require_approval" ? expiresAt : null,
  fingerprint,
});
const invoked = (mode: Mode): InvocationEvent => ({
  type: "ActionInvoked",
  data: { ...request, mode, expiresAt: mode === "require_approval" ? expiresAt : null },
});
const approve = {
  type: "ApproveAction",
  by: "usr_1",
  scope: "once",
  editedParams: null,
  now: before,
} as const satisfies InvocationCommand;
const deny = {
  type: "DenyAction",
  by: "usr_1",
  reason: "no",
  now: before,
} as const satisfies InvocationCommand;
const approved: InvocationEvent = {
  type: "ActionApproved",
  data: { by: "usr_1", scope: "once", editedParams: null },
};
const denied: InvocationEvent = { type: "ActionDenied", data: { by: "usr_1", reason: "no" } };
const started: InvocationEvent = { type: "ExecutionStarted", data: {} };
const expired: InvocationEvent = { type: "ActionExpired", data: {} };
const complete: InvocationCommand = {
  type: "CompleteAction",
  result: { ok: true },
  truncated: false,
  fullResult: null,
  durationMs: 3,
};
const completed: InvocationEvent = {
  type: "ActionCompleted",
  data: { result: { ok: true }, truncated: false, fullResult: null, durationMs: 3 },
};
const failure = { code: "action_failed", message: "no" };
const lost: InvocationEvent = { type: "OutcomeLost", data: { reason: "died" } };
const waiting = invoked("require_approval");

describe("invoking", () => {
  it("waits, runs or is refused as its mode says", () => {
    given().when(invoke("require_approval")).then(waiting);
    given()
      .when(invoke("allow"))
      .then(invoked("allow"), {
        type: "ActionApproved",
        data: { by: "policy", scope: "policy", editedParams: null },
      });
    given()
      .when(invoke("deny"))
      .then(invoked("deny"), { type: "ActionDenied", data: { by: "policy", reason: "policy" } });
  });

  it("happens once, even if the mode has changed since", () => {
    given(waiting).when(invoke("allow")).then();
    given(waiting, approved, started, completed).when(invoke("require_approval")).then();
    given(waiting).when(invoke("require_approval", "f2")).thenRejects("idempotency_key_reused");
  });
});

describe("resolving", () => {
  it("is possible while the invocation waits", () => {
    given(waiting).when(approve).then(approved);
    given(waiting).when(deny).then(denied);
  });

  it("is too late at the very moment of expiry, and after", () => {
    given(waiting)
      .when({ ...approve, now: expiresAt })
      .thenRejects("invocation_expired");
    given(waiting)
      .when({ ...deny, now: expiresAt })
      .thenRejects("invocation_expired");
    given(waiting, expired).when(approve).thenRejects("invocation_expired");
  });

  it("is possible once", () => {
    for (const after of [
      [approved],
      [denied],
      [approved, started],
      [approved, started, completed],
    ]) {
      // An old clock must not turn "resolved" into "expired" either.
      given(waiting, ...after)
        .when({ ...approve, now: expiresAt })
        .thenRejects("invocation_already_resolved");
      given(waiting, ...after)
        .when(deny)
        .thenRejects("invocation_already_resolved");
    }
  });
});

describe("expiring", () => {
  it("happens when it is due, to an invocation that still waits", () => {
    given(waiting).when({ type: "ExpireAction", now: before }).then();
    given(waiting).when({ type: "ExpireAction", now: expiresAt }).then(expired);
    given(waiting, approved).when({ type: "ExpireAction", now: expiresAt }).then();
    given(waiting, expired).when({ type: "ExpireAction", now: expiresAt }).then();
  });
});

describe("executing", () => {
  it("starts only from approved, once", () => {
    const start: InvocationCommand = { type: "StartExecution" };
    given(waiting, approved).when(start).then(started);
    given(waiting).when(start).thenRejects("invocation_already_resolved");
    given(waiting, denied).when(start).thenRejects("invocation_already_resolved");
    given(waiting, approved, started).when(start).thenRejects("invocation_already_resolved");
  });

  it("is tried again only while nobody knows of an end, and with what was approved", () => {
    const retry: InvocationCommand = { type: "RetryExecution" };
    const retried: InvocationEvent = { type: "ExecutionRetried", data: { attempt: 2 } };
    const edited: InvocationEvent = {
      type: "ActionApproved",
      data: { by: "usr_1", scope: "once", editedParams: { version: "2.0.0" } },
    };
    given(waiting, edited, started).when(retry).then(retried);
    for (const history of [[waiting], [waiting, approved], [waiting, approved, started, lost]]) {
      given(...history)
        .when(retry)
        .thenRejects("invocation_already_resolved");
    }
    expect(given(waiting, edited, started, retried).state()).toMatchObject({
      status: "executing",
      attempt: 2,
      params: { version: "2.0.0" },
      request: { params: { version: "1.0.0" } },
    });
  });

  it("ends one way only", () => {
    const fail: InvocationCommand = { type: "FailAction", failure };
    const lose: InvocationCommand = { type: "LoseOutcome", reason: "died" };
    given(waiting, approved, started).when(complete).then(completed);
    given(waiting, approved, started).when(fail).then({ type: "ActionFailed", data: { failure } });
    given(waiting, approved, started).when(lose).then(lost);
    for (const command of [complete, fail, lose]) {
      given(waiting, approved).when(command).thenRejects("invocation_already_resolved");
      given(waiting, approved, started, lost)
        .when(command)
        .thenRejects("invocation_already_resolved");
      given(waiting, approved, started, completed)
        .when(command)
        .thenRejects("invocation_already_resolved");
    }
  });

  it("keeps the result for those who ask", () => {
    expect(given(waiting, approved, started, completed).state()).toMatchObject({
      status: "completed",
      result: { ok: true },
    });
  });
});

describe("reading the full result", () => {
  const read = (now: string): InvocationCommand => ({ type: "ReadFullResult", by: "usr_2", now });
  const wasRead: InvocationEvent = { type: "FullResultRead", data: { by: "usr_2" } };
  const until = "2026-01-08T00:00:00.000Z";
  const inTime = "2026-01-07T23:59:59.999Z";
  const cut = (fullResult: FullResult | null): InvocationEvent => ({
    type: "ActionCompleted",
    data: { result: "x", truncated: true, fullResult, durationMs: 3 },
  });
  const kept = cut({ status: "kept", attempt: 1, bytes: 20_000, until });

  it("is recorded each time, while it is kept", () => {
    given(waiting, approved, started, kept).when(read(inTime)).then(wasRead);
    given(waiting, approved, started, kept, wasRead).when(read(inTime)).then(wasRead);
    given(waiting, approved, started, kept).when(read(until)).thenRejects("full_result_not_found");
  });

  it("is refused where there is none", () => {
    for (const history of [
      [],
      [completed],
      [cut(null)],
      [cut({ status: "too_large", bytes: 9_000_000 })],
      [cut({ status: "failed" })],
    ]) {
      given(waiting, approved, started, ...history)
        .when(read(inTime))
        .thenRejects("full_result_not_found");
    }
  });
});

it("refuses everything else on an invocation that is not there", () => {
  for (const command of [approve, deny, complete, { type: "ExpireAction", now: before }] as const) {
    given().when(command).thenRejects("invocation_not_found");
  }
});
