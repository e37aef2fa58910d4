/** What is on record of a service token: that it was issued, and that it was revoked. */
import { assertNever } from "#contracts/assert-never";
import type { ServiceTokenCommand } from "#contracts/service-token/commands";
import type { ServiceTokenEvent } from "#contracts/service-token/events";
import type { Decider } from "#event-store/aggregates/decider";

interface ServiceTokenState {
  /** `none` also for tokens from before this was recorded; those can be revoked like any other. */
  readonly status: "none" | "issued" | "revoked";
}

export const serviceTokenDecider: Decider<
  ServiceTokenCommand,
  ServiceTokenEvent,
  ServiceTokenState
> = {
  initialState: () => ({ status: "none" }),
  decide: (command, { status }) => {
    switch (command.type) {
      case "IssueServiceToken": {
        const { userId, name, scopes, expiresAt } = command;
        if (status !== "none") return [];
        const data = { userId, name, scopes: [...scopes], expiresAt };
        return [{ type: "ServiceTokenIssued", data }];
      }
      case "RevokeServiceToken":
        return status === "revoked" ? [] : [{ type: "ServiceTokenRevoked", data: {} }];
      default:
        return assertNever(command);
    }
  },
  evolve: (state, event) => {
    switch (event.type) {
      case "ServiceTokenIssued":
        return { status: "issued" };
      case "ServiceTokenRevoked":
        return { status: "revoked" };
      default:
        return assertNever(event);
    }
  },
};

/** For `execute`. */
export const serviceTokenAggregate = {
  aggregate: "service_token",
  decider: serviceTokenDecider,
} as const;
