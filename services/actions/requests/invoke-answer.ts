/** What the agent that asked for an action is told, by how the invocation stands. Pure. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { invokeAction } from "#contracts/http/actions";
import type { InvocationId } from "#contracts/ids";
import type { RouteReply } from "../../gateway/routes/handle-route.ts";
import { policyActor } from "../invocation/decider.ts";
import type { RecordedInvocation } from "../invocation/invocation-log.ts";

/** @throws DomainError `action_denied`, `invocation_expired`, `action_failed`; each with the invocation's id */
export const invokeAnswer = (
  id: InvocationId,
  { state, position }: RecordedInvocation,
): RouteReply<typeof invokeAction> => {
  const { status } = state;
  const invocation = { id, status };
  const fields = { invocationId: id, status };
  switch (status) {
    case "completed": {
      const message = state.truncated
        ? "The action ran; its result was shortened."
        : "The action ran.";
      return { status: 200, body: { invocation, position, result: state.result, message } };
    }
    case "pending":
      return {
        status: 202,
        body: { invocation, position, message: "The action waits for approval." },
      };
    case "approved":
    case "executing":
      return {
        status: 202,
        body: { invocation, position, message: "The action is still running." },
      };
    case "denied":
      throw new DomainError("action_denied", `The action was refused${reasonOf(state)}.`, {
        fields,
      });
    case "expired":
      throw new DomainError("invocation_expired", "Nobody approved the action in time.", {
        fields,
      });
    case "failed":
      throw new DomainError("action_failed", state.failure.message, {
        fields: { ...fields, failure: state.failure.code },
      });
    case "outcome_unknown":
      throw new DomainError(
        "action_failed",
        `It is not known whether the action took effect; look before you try again. ${state.reason}`,
        { fields },
      );
    default:
      return assertNever(state);
  }
};

const reasonOf = ({ by, reason }: { readonly by: string; readonly reason: string }): string => {
  if (by === policyActor) return " by the organisation's policy";
  return reason === "" ? "" : `: ${reason}`;
};
