/** Who may do what to a session, beyond looking at it and asking its agent something. */
import { DomainError } from "#contracts/errors";
import { approverRoles, type Role } from "#contracts/identity/principal";
import type { UserId } from "#contracts/ids";
import { loadKept } from "#event-store/aggregates/kept-aggregates";
import type { EventStore } from "#event-store/event-store";
import type { SessionRef } from "./commands.ts";
import { sessionAggregate } from "./decider.ts";
import { notFound } from "./session-request.ts";
import type { ExistingSession } from "./state.ts";

interface Person {
  readonly userId: UserId;
  readonly role: Role;
}

/** @throws DomainError `session_not_found` */
export const requireSession = async (
  store: EventStore,
  { organization, session }: SessionRef,
): Promise<ExistingSession> => {
  const { state } = await loadKept(store, sessionAggregate, { organization, id: session });
  if (state.status === "none") throw notFound();
  return state;
};

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
