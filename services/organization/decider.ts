/** What an organisation has decided for all of its sessions. */
import { assertNever } from "#contracts/assert-never";
import type { OrganizationCommand } from "#contracts/organization/commands";
import type { OrganizationEvent } from "#contracts/organization/events";
import type { Decider } from "#event-store/aggregates/decider";

/** Plain JSON. */
export interface OrganizationState {
  /**
   * When unused sessions are deleted: after so many days (null: never), or as the deployment says, because
   * the organisation has taken its own word back or (`unsaid`) has never given one.
   */
  readonly autoDelete: { readonly days: number | null } | "deployment" | "unsaid";
}

export const organizationDecider: Decider<
  OrganizationCommand,
  OrganizationEvent,
  OrganizationState
> = {
  initialState: () => ({ autoDelete: "unsaid" }),
  decide: (command, state) => {
    switch (command.type) {
      case "SetAutoDeleteDefault":
        return ownAutoDeleteDays(state) === command.days
          ? []
          : [{ type: "AutoDeleteDefaultSet", data: { days: command.days } }];
      case "ClearAutoDeleteDefault":
        return state.autoDelete === "deployment"
          ? []
          : [{ type: "AutoDeleteDefaultCleared", data: {} }];
      default:
        return assertNever(command);
    }
  },
  evolve: (_state, event) => {
    switch (event.type) {
      case "AutoDeleteDefaultSet":
        return { autoDelete: { days: event.data.days } };
      case "AutoDeleteDefaultCleared":
        return { autoDelete: "deployment" };
      default:
        return assertNever(event);
    }
  },
};

/** The organisation's own days; null: never, undefined: it follows the deployment. */
export const ownAutoDeleteDays = ({ autoDelete }: OrganizationState): number | null | undefined =>
  typeof autoDelete === "string" ? undefined : autoDelete.days;
