/** A run: what one delivery made an automation do. Its id follows from the trigger and the delivery. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";
import type { RunCommand } from "#contracts/run/commands";
import type { RunEvent } from "#contracts/run/events";
import type { Decider } from "#event-store/decider";

export type RunState =
  | { readonly status: "absent" }
  | { readonly status: "matched" }
  | { readonly status: "opened"; readonly sessionId: SessionId };

export const runDecider: Decider<RunCommand, RunEvent, RunState> = {
  initialState: () => ({ status: "absent" }),

  decide: (command, state) => {
    switch (command.type) {
      case "MatchTrigger": {
        // The same delivery again: the run is there already.
        if (state.status !== "absent") return [];
        const { triggerId, dedupKey, title, prompt, repository } = command;
        return [
          { type: "TriggerMatched", data: { triggerId, dedupKey, title, prompt, repository } },
        ];
      }
      case "OpenRunSession":
        return openSession(command.sessionId, state);
      default:
        return assertNever(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case "TriggerMatched":
        return { status: "matched" };
      case "RunSessionOpened":
        return state.status === "absent"
          ? state
          : { status: "opened", sessionId: event.data.sessionId };
      default:
        return assertNever(event);
    }
  },
};

const openSession = (sessionId: SessionId, state: RunState): readonly RunEvent[] => {
  switch (state.status) {
    case "absent":
      throw new DomainError("not_found", "There is no such run.");
    case "matched":
      return [{ type: "RunSessionOpened", data: { sessionId } }];
    case "opened":
      if (state.sessionId === sessionId) return [];
      throw new DomainError(
        "idempotency_key_reused",
        "The run has opened another session already.",
      );
    default:
      return assertNever(state);
  }
};
