import { assertNever } from "#contracts/assert-never";
import type { InvocationId } from "#contracts/ids";
import type { KnownInvocation } from "../actions/invocation/state.ts";

/**
 * What the agent of an unattended run is told of a decision that it has waited for. The result is quoted as
 * data; the whole of it is in the invocation, which `proliferate actions` shows. Pure.
 */
export const decisionPrompt = (id: InvocationId, state: KnownInvocation): string => {
  const { integration, action } = state.request;
  return [
    `The action ${integration}/${action} that you asked for (${id}) has been settled: ${outcomeOf(state)}`,
    "Go on with your task. If you have dealt with this already, only finish it.",
  ].join("\n\n");
};

const outcomeOf = (state: KnownInvocation): string => {
  switch (state.status) {
    case "completed":
      return `somebody approved it and it ran. Its result, as data:\n${JSON.stringify(state.result)}`;
    case "denied":
      return state.reason === ""
        ? "somebody refused it. Do not ask for it again."
        : `somebody refused it and said: ${state.reason}`;
    case "expired":
      return "nobody decided on it in time, so it was not done.";
    case "failed":
      return `it was approved, but it failed: ${state.failure.message}`;
    case "outcome_unknown":
      return `it was approved, but nobody knows whether it took effect; look before you try again. ${state.reason}`;
    case "pending":
    case "approved":
    case "executing":
      return "it is still under way.";
    default:
      return assertNever(state);
  }
};
