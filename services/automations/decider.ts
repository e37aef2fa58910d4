/** A run: what one delivery made an automation do. Its id follows from the trigger and the delivery. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { InvocationId, SessionId, TriggerId } from "#contracts/ids";
import type { RunCommand } from "#contracts/run/commands";
import type { RunEvent } from "#contracts/run/events";
import type { RunOutcome } from "#contracts/run/outcome";
import type { Decider } from "#event-store/aggregates/decider";

interface Waiting {
  /** The invocations of its agent that wait for somebody's decision, or were not heard of since. */
  readonly waitingFor: readonly InvocationId[];
}

export type RunState =
  | { readonly status: "absent" }
  | ({ readonly status: "matched"; readonly triggerId: TriggerId } & Waiting)
  | ({
      readonly status: "opened";
      readonly triggerId: TriggerId;
      readonly sessionId: SessionId;
    } & Waiting)
  | {
      readonly status: "completed";
      readonly triggerId: TriggerId;
      readonly sessionId: SessionId;
      readonly completionId: string;
      readonly outcome: RunOutcome;
    };

export const runDecider: Decider<RunCommand, RunEvent, RunState> = {
  initialState: () => ({ status: "absent" }),

  decide: (command, state) => {
    switch (command.type) {
      case "MatchTrigger": {
        // The same delivery again: the run is there already.
        if (state.status !== "absent") return [];
        const { triggerId, dedupKey, title, prompt, repository, session } = command;
        return [
          { type: "TriggerMatched", data: { triggerId, dedupKey, title, prompt, repository } },
          ...(session ? ([{ type: "RunConfigured", data: session }] as const) : []),
        ];
      }
      case "OpenRunSession":
        return openSession(command.sessionId, state);
      case "PauseRun":
        return isWaitingFor(command.invocationId, state) !== false
          ? []
          : [{ type: "RunPaused", data: { invocationId: command.invocationId } }];
      case "ResumeRun":
        return isWaitingFor(command.invocationId, state)
          ? [{ type: "RunResumed", data: { invocationId: command.invocationId } }]
          : [];
      case "CompleteRun":
        return completeRun(command, state);
      default:
        return assertNever(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case "TriggerMatched":
        return { status: "matched", triggerId: event.data.triggerId, waitingFor: [] };
      case "RunConfigured":
        // For who opens the session.
        return state;
      case "RunSessionOpened":
        // A report may be faster than the word that the session is open.
        return state.status === "absent" || state.status === "completed"
          ? state
          : {
              status: "opened",
              triggerId: state.triggerId,
              sessionId: event.data.sessionId,
              waitingFor: state.waitingFor,
            };
      case "RunPaused":
        return "waitingFor" in state
          ? { ...state, waitingFor: [...state.waitingFor, event.data.invocationId] }
          : state;
      case "RunResumed": {
        const { invocationId } = event.data;
        return "waitingFor" in state
          ? { ...state, waitingFor: state.waitingFor.filter((id) => id !== invocationId) }
          : state;
      }
      case "RunCompleted": {
        const { sessionId, completionId, report } = event.data;
        return state.status === "absent"
          ? state
          : {
              status: "completed",
              triggerId: state.triggerId,
              sessionId,
              completionId,
              outcome: report.outcome,
            };
      }
      default:
        return assertNever(event);
    }
  },
};

/** Null for a run that waits for nobody any more. */
const isWaitingFor = (invocationId: InvocationId, state: RunState): boolean | null => {
  switch (state.status) {
    case "absent":
      throw new DomainError("not_found", "There is no such run.");
    case "matched":
    case "opened":
      return state.waitingFor.includes(invocationId);
    case "completed":
      return null;
    default:
      return assertNever(state);
  }
};

const openSession = (sessionId: SessionId, state: RunState): readonly RunEvent[] => {
  switch (state.status) {
    case "absent":
      throw new DomainError("not_found", "There is no such run.");
    case "matched":
      return [{ type: "RunSessionOpened", data: { sessionId } }];
    case "opened":
    case "completed":
      if (state.sessionId === sessionId) return [];
      throw new DomainError(
        "idempotency_key_reused",
        "The run has opened another session already.",
      );
    default:
      return assertNever(state);
  }
};

/** One completion id is one completion, however often the agent reports it. */
const completeRun = (
  { sessionId, completionId, report }: Extract<RunCommand, { type: "CompleteRun" }>,
  state: RunState,
): readonly RunEvent[] => {
  switch (state.status) {
    case "absent":
      throw new DomainError("not_found", "There is no such run.");
    case "opened":
      if (state.sessionId !== sessionId) throw foreignSession();
      return [{ type: "RunCompleted", data: { sessionId, completionId, report } }];
    case "matched":
      return [{ type: "RunCompleted", data: { sessionId, completionId, report } }];
    case "completed":
      if (state.sessionId !== sessionId) throw foreignSession();
      if (state.completionId === completionId) return [];
      throw new DomainError(
        "run_already_completed",
        `The run was reported as ${state.outcome} already.`,
      );
    default:
      return assertNever(state);
  }
};

const foreignSession = (): DomainError =>
  new DomainError("forbidden", "Another session works on this run.");
