import { DomainError } from "#contracts/errors";
import type { UserId } from "#contracts/ids";
import type { UserView } from "#contracts/identity/principal";
import type { EventStore } from "#event-store/event-store";
import type { ProxyTicket } from "../identity/signed-tokens.ts";
import { requireMayChange } from "../sessions/permissions.ts";

export interface StandingDeps {
  readonly store: EventStore;
  readonly findUser: (id: UserId) => Promise<UserView | null>;
}

/**
 * Whether the person of a ticket to write may still change the session: a ticket that is good for hours
 * outlives roles and people.
 *
 * @throws DomainError `unauthenticated`, `forbidden`, `session_not_found`
 */
export const requireStanding = async (
  { store, findUser }: StandingDeps,
  { userId, organizationId: organization, sessionId: session }: ProxyTicket,
): Promise<void> => {
  const user = await findUser(userId);
  if (user?.organizationId !== organization) {
    throw new DomainError("unauthenticated", "The user of this ticket does not exist any more.");
  }
  await requireMayChange(store, { organization, session }, { userId, role: user.role });
};
