/**
 * The policy of an organisation: what happens to each action that somebody has decided on.
 * The state is plain JSON, because snapshots of it are stored.
 */
import { assertNever } from "#contracts/assert-never";
import type { PolicyCommand } from "#contracts/policy/commands";
import type { ActionMode, PolicyEvent } from "#contracts/policy/events";
import type { Decider } from "#event-store/decider";

export interface PolicyState {
  /** By the key of {@link setModeOf}; an action that is not in it has no mode of its own. */
  readonly modes: Readonly<Record<string, ActionMode>>;
}

/** The mode that somebody has set for this action; null if nobody has. */
export const setModeOf = (
  state: PolicyState,
  integration: string,
  action: string,
): ActionMode | null => state.modes[keyOf(integration, action)] ?? null;

/** Both names may hold any character, so a plain separator would let two actions share a key. */
const keyOf = (integration: string, action: string): string =>
  JSON.stringify([integration, action]);

export const policyDecider: Decider<PolicyCommand, PolicyEvent, PolicyState> = {
  initialState: () => ({ modes: {} }),

  decide: (command, state) => {
    const { integration, action, mode } = command;
    if (setModeOf(state, integration, action) === mode) return [];
    return [{ type: "ActionModeSet", data: { integration, action, mode } }];
  },

  evolve: (state, event) => {
    switch (event.type) {
      case "ActionModeSet": {
        const { integration, action, mode } = event.data;
        return { modes: { ...state.modes, [keyOf(integration, action)]: mode } };
      }
      default:
        return assertNever(event.type);
    }
  },
};
