/** What may happen to an invocation, and when. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { InvocationEvent } from "#contracts/invocation/events";
import type { Decider } from "#event-store/aggregates/decider";
import { evolve } from "./evolve.ts";
import { requireKept } from "../full-results/kept.ts";
import type { InvocationState, KnownInvocation } from "./state.ts";

type Invoke = Extract<InvocationCommand, { type: "InvokeAction" }>;

/** Who stands in the log for decisions that no person took. */
export const policyActor = "policy";

export const invocationDecider: Decider<InvocationCommand, InvocationEvent, InvocationState> = {
  initialState: () => ({ status: "absent" }),
  evolve,
  decide: (command, state) => {
    if (command.type === "InvokeAction") return invoke(command, state);
    if (state.status === "absent") {
      throw new DomainError("invocation_not_found", "There is no such invocation.");
    }
    switch (command.type) {
      case "ApproveAction": {
        requirePending(state, command.now);
        const { by, scope } = command;
        const editedParams = command.editedParams && { ...command.editedParams };
        return [{ type: "ActionApproved", data: { by, scope, editedParams } }];
      }
      case "DenyAction":
        requirePending(state, command.now);
        return [{ type: "ActionDenied", data: { by: command.by, reason: command.reason } }];
      case "ExpireAction":
        return state.status === "pending" && isPast(state.expiresAt, command.now)
          ? [{ type: "ActionExpired", data: {} }]
          : [];
      case "StartExecution":
        requireStatus(state, "approved");
        return [{ type: "ExecutionStarted", data: {} }];
      case "RetryExecution":
        if (state.status !== "executing") throw alreadyResolved(state);
        return [{ type: "ExecutionRetried", data: { attempt: state.attempt + 1 } }];
      case "CompleteAction": {
        requireStatus(state, "executing");
        const { result, truncated, fullResult, durationMs } = command;
        return [{ type: "ActionCompleted", data: { result, truncated, fullResult, durationMs } }];
      }
      case "FailAction":
        requireStatus(state, "executing");
        return [{ type: "ActionFailed", data: { failure: command.failure } }];
      case "LoseOutcome":
        requireStatus(state, "executing");
        return [{ type: "OutcomeLost", data: { reason: command.reason } }];
      case "ReadFullResult":
        requireKept(state, command.now);
        return [{ type: "FullResultRead", data: { by: command.by } }];
      default:
        return assertNever(command);
    }
  },
};

const invoke = (command: Invoke, state: InvocationState): readonly InvocationEvent[] => {
  if (state.status !== "absent") {
    requireSameRequest(state, command.fingerprint);
    return [];
  }
  const { type: _type, params, mode, expiresAt, ...rest } = command;
  const invoked: InvocationEvent = {
    type: "ActionInvoked",
    data: {
      ...rest,
      params: { ...params },
      mode,
      expiresAt: mode === "require_approval" ? expiresAt : null,
    },
  };
  switch (mode) {
    case "allow":
      return [
        invoked,
        { type: "ActionApproved", data: { by: policyActor, scope: "policy", editedParams: null } },
      ];
    case "deny":
      return [invoked, { type: "ActionDenied", data: { by: policyActor, reason: policyActor } }];
    case "require_approval":
      return [invoked];
    default:
      return assertNever(mode);
  }
};

/** @throws DomainError `idempotency_key_reused` for an invocation that asks for something else */
export const requireSameRequest = ({ request }: KnownInvocation, fingerprint: string): void => {
  if (request.fingerprint === fingerprint) return;
  throw new DomainError(
    "idempotency_key_reused",
    "This idempotency key was used for another action or other parameters.",
  );
};

const requirePending = (state: KnownInvocation, now: string): void => {
  const expired =
    state.status === "expired" || (state.status === "pending" && isPast(state.expiresAt, now));
  if (expired) throw new DomainError("invocation_expired", "The request for approval has expired.");
  if (state.status !== "pending") throw alreadyResolved(state);
};

const requireStatus = (state: KnownInvocation, status: InvocationState["status"]): void => {
  if (state.status !== status) throw alreadyResolved(state);
};

const alreadyResolved = ({ status }: KnownInvocation): DomainError =>
  new DomainError(
    "invocation_already_resolved",
    `The invocation is ${status.replace("_", " ")} already.`,
    {
      fields: { status },
    },
  );

const isPast = (expiresAt: string | null, now: string): boolean =>
  expiresAt !== null && Date.parse(now) >= Date.parse(expiresAt);
