import type { Actor } from "#contracts/actor";
import type { Role } from "#contracts/identity/principal";
import type { OrganizationId, SessionId, UserId } from "#contracts/ids";

/** Who is behind an authenticated request. */
export type Principal =
  | {
      readonly kind: "user";
      readonly userId: UserId;
      readonly organizationId: OrganizationId;
      readonly role: Role;
    }
  | {
      readonly kind: "sandbox";
      readonly sessionId: SessionId;
      readonly organizationId: OrganizationId;
    };

/** How the principal stands in the commits of its commands. */
export const actorOf = (principal: Principal): Actor =>
  principal.kind === "user"
    ? { kind: "user", id: principal.userId, via: "http" }
    : { kind: "sandbox", id: principal.sessionId, via: "http" };
