import { DomainError } from "#contracts/errors";
import type { Route } from "#contracts/http/route";
import { approverRoles } from "#contracts/identity/principal";
import type { ServiceScope } from "#contracts/identity/service-scope";
import type { Principal } from "./principal.ts";

/**
 * Whether the principal may call the route. What belongs to another organisation is none of this: to its
 * handler it simply does not exist.
 *
 * @throws DomainError `forbidden`; `session_not_found` for a sandbox on another session's path
 */
export const authorize = (
  { audience, method, path }: Route,
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
  if (principal.scopes !== undefined) requireScope(method, path, principal.scopes);
  if (audience === "approver" && !approverRoles.includes(principal.role)) {
    throw new DomainError("forbidden", "This needs an owner or an admin of the organisation.");
  }
};

const requireScope = (method: string, path: string, scopes: readonly ServiceScope[]): void => {
  const isOfSessions = path === sessionsPath || path.startsWith(`${sessionsPath}/`);
  if (isOfSessions && scopes.includes("sessions")) return;
  if (method === "GET" && scopes.includes("read")) return;
  throw new DomainError("forbidden", "The scopes of this service token do not include this.");
};

const sessionsPath = "/v1/sessions";
