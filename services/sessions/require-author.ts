import { DomainError } from "#contracts/errors";
import { approverRoles } from "#contracts/identity/principal";
import type { Principal } from "../gateway/principal.ts";
import type { ExistingSession } from "./state.ts";

/**
 * @param what the person wants to do, as it stands after "may"
 * @throws DomainError `forbidden` unless it is the session's creator, an owner or an admin
 */
export const requireAuthor = (
  { origin }: ExistingSession,
  principal: Extract<Principal, { kind: "user" }>,
  what: string,
): void => {
  if (approverRoles.includes(principal.role)) return;
  if (origin.kind === "user" && origin.userId === principal.userId) return;
  throw new DomainError(
    "forbidden",
    `Only who has opened the session, an owner or an admin may ${what}.`,
  );
};
