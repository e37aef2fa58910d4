/** Who may do what to a session, beyond looking at it and asking its agent something. */
import { DomainError } from "#contracts/errors";
import { approverRoles, type Role } from "#contracts/identity/principal";
import type { UserId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { requireSession, type SessionRef } from "./session-log.ts";
import type { ExistingSession } from "./aggregate/state.ts";

interface Person {
  readonly userId: UserId;
  readonly role: Role;
}

/**
 * Whoever made a session may change it, and so may admins; one that nobody made, because an automation
 * did, anybody of the organisation.
 *
 * @throws DomainError `forbidden`, `session_not_found`
 */
export const requireMayChange = async (
  store: EventStore,
  ref: SessionRef,
  { userId, role }: Person,
): Promise<ExistingSession> => {
  const state = await requireSession(store, ref);
  const { origin } = state;
  if (origin.kind === "user" && origin.userId !== userId && !approverRoles.includes(role)) {
    throw new DomainError("forbidden", "Only who made this session, or an admin, may do this.");
  }
  return state;
};
