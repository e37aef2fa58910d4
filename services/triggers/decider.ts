import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { Repository } from "#contracts/repository";
import type { SessionOfRun } from "#contracts/run/session-of-run";
import type { TriggerCommand } from "#contracts/trigger/commands";
import type { TriggerEvent, TriggerFilter } from "#contracts/trigger/events";
import type { Decider } from "#event-store/aggregates/decider";

export type TriggerState =
  | { readonly status: "absent" }
  | {
      readonly status: "active";
      readonly name: string;
      readonly filter: TriggerFilter;
      readonly prompt: string;
      readonly repository: Repository | null;
      readonly session: SessionOfRun | null;
    };

export const triggerDecider: Decider<TriggerCommand, TriggerEvent, TriggerState> = {
  initialState: () => ({ status: "absent" }),

  decide: (command, state) => {
    if (state.status !== "absent") {
      // Ids of triggers are new ones, so this is not a repetition but a mistake.
      throw new DomainError("idempotency_key_reused", "There is a trigger with this id already.");
    }
    const { name, provider, filter, prompt, repository, session, createdBy } = command;
    return [
      { type: "TriggerCreated", data: { name, provider, filter, prompt, repository, createdBy } },
      ...(session ? ([{ type: "AutomationConfigured", data: session }] as const) : []),
    ];
  },

  evolve: (state, event) => {
    switch (event.type) {
      case "TriggerCreated": {
        const { name, filter, prompt, repository } = event.data;
        return { status: "active", name, filter, prompt, repository, session: null };
      }
      case "AutomationConfigured":
        return state.status === "absent" ? state : { ...state, session: event.data };
      default:
        return assertNever(event);
    }
  },
};
