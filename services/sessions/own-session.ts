/** Who may change what others would miss: text that is erased, commits that are pushed. */
import { DomainError } from "#contracts/errors";
import { approverRoles } from "#contracts/identity/principal";
import type { EventStore } from "#event-store/event-store";
import { loadAggregate } from "#event-store/load";
import type { Principal } from "../gateway/principal.ts";
import { sessionAggregate } from "./decider.ts";
import { notFound, refOf, type SessionRequest } from "./session-request.ts";
import type { ExistingSession } from "./state.ts";

/** A person's request about one session. */
export type PersonsRequest = SessionRequest & {
  readonly principal: Extract<Principal, { kind: "user" }>;
};

/** @throws DomainError `session_not_found` */
export const requireSession = async (
  store: EventStore,
  request: SessionRequest,
): Promise<ExistingSession> => {
  const { organization, session: id } = refOf(request);
  const { state } = await loadAggregate(store, sessionAggregate, { organization, id });
  if (state.status === "none") throw notFound();
  return state;
};

/**
 * Whoever has opened the session, owners and admins; a session that nobody has opened is everybody's.
 * @throws DomainError `session_not_found`, `forbidden`
 */
export const requireOwnSession = async (
  store: EventStore,
  request: PersonsRequest,
): Promise<ExistingSession> => {
  const session = await requireSession(store, request);
  const { userId, role } = request.principal;
  const { origin } = session;
  if (origin.kind === "user" && origin.userId !== userId && !approverRoles.includes(role)) {
    throw new DomainError("forbidden", "Only who has opened the session may do this, or an admin.");
  }
  return session;
};
