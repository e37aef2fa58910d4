import type { Actor } from "#contracts/actor";
import type { ServiceScope } from "#contracts/identity/service-scope";
import type { Role } from "#contracts/identity/principal";
import type { OrganizationId, SessionId, UserId } from "#contracts/ids";

/** Who is behind an authenticated request. */
export type Principal =
  | {
      readonly kind: "user";
      readonly userId: UserId;
      readonly organizationId: OrganizationId;
      readonly role: Role;
      /** Of a program, which has a member's role; a person has none, and may do all that the role may. */
      readonly scopes?: readonly ServiceScope[];
    }
  | {
      readonly kind: "sandbox";
      readonly sessionId: SessionId;
      readonly organizationId: OrganizationId;
    };

/** How the principal stands in the commits of its commands. */
export const actorOf = (principal: Principal): Actor =>
  principal.kind === "user"
    ? {
        kind: principal.scopes === undefined ? "user" : "service",
        id: principal.userId,
        via: "http",
      }
    : { kind: "sandbox", id: principal.sessionId, via: "http" };
