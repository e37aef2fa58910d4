import { assertNever } from "#contracts/assert-never";
import type { InvocationEvent } from "#contracts/invocation/events";
import type { InvocationState, KnownInvocation } from "./state.ts";

/** Folds an event into an invocation's state. Total: an event that cannot follow changes nothing. */
export const evolve = (state: InvocationState, event: InvocationEvent): InvocationState => {
  if (event.type === "ActionInvoked") {
    const { sessionId, integration, action, params, risk, fingerprint, expiresAt } = event.data;
    return {
      status: "pending",
      request: { sessionId, integration, action, params, risk, fingerprint },
      expiresAt,
    };
  }
  if (state.status === "absent") return state;
  const { request } = state;
  switch (event.type) {
    case "ActionApproved":
      return { status: "approved", request, params: event.data.editedParams ?? request.params };
    case "ActionDenied":
      return { status: "denied", request, by: event.data.by, reason: event.data.reason };
    case "ActionExpired":
      return { status: "expired", request };
    case "ExecutionStarted":
      return { status: "executing", request, params: paramsOf(state), attempt: 1 };
    case "ExecutionRetried":
      return {
        status: "executing",
        request,
        params: paramsOf(state),
        attempt: event.data.attempt,
      };
    case "ActionCompleted":
      return {
        status: "completed",
        request,
        result: event.data.result,
        truncated: event.data.truncated,
        fullResult: event.data.fullResult,
      };
    case "ActionFailed":
      return { status: "failed", request, failure: event.data.failure };
    case "OutcomeLost":
      return { status: "outcome_unknown", request, reason: event.data.reason };
    case "FullResultRead":
      return state;
    default:
      return assertNever(event);
  }
};

/** What is carried out: what was asked for, unless its approver has edited it. */
const paramsOf = (state: KnownInvocation): KnownInvocation["request"]["params"] =>
  "params" in state ? state.params : state.request.params;
