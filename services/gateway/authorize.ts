import { DomainError } from "#contracts/errors";
import type { Route } from "#contracts/http/route";
import { approverRoles } from "#contracts/identity/principal";
import type { Principal } from "./principal.ts";

/**
 * Whether the principal may call the route. What belongs to another organisation is none of this: to its
 * handler it simply does not exist.
 *
 * @throws DomainError `forbidden`; `session_not_found` for a sandbox on another session's path
 */
export const authorize = (
  { audience }: Route,
  principal: Principal,
  params: Readonly<Record<string, unknown>>,
): void => {
  if (principal.kind === "sandbox") {
    if (audience !== "sandbox" && audience !== "user_or_sandbox") {
      throw new DomainError("forbidden", "A sandbox may not do this.");
    }
    if (params["sessionId"] !== principal.sessionId) {
      throw new DomainError("session_not_found", "There is no such session.");
    }
    return;
  }
  if (audience === "sandbox") {
    throw new DomainError("forbidden", "Only the session's own sandbox may do this.");
  }
  if (audience === "approver" && !approverRoles.includes(principal.role)) {
    throw new DomainError("forbidden", "This needs an owner or an admin of the organisation.");
  }
};
