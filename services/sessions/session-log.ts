/** Sessions in the log: how everybody but their decider reads one. */
import { DomainError } from "#contracts/errors";
import type { OrganizationId, SessionId } from "#contracts/ids";
import { loadKept } from "#event-store/aggregates/kept-aggregates";
import type { EventStore } from "#event-store/event-store";
import { sessionAggregate } from "./aggregate/decider.ts";
import type { ExistingSession, SessionState } from "./aggregate/state.ts";

export interface SessionRef {
  readonly organization: OrganizationId;
  readonly session: SessionId;
}

/** The session as the log has it now. @throws DomainError `log_unavailable` */
export const loadSession = async (
  store: EventStore,
  { organization, session }: SessionRef,
): Promise<SessionState> =>
  (await loadKept(store, sessionAggregate, { organization, id: session })).state;

/** The same; null for one that was never created, also for another organisation's. */
export const findSession = async (
  store: EventStore,
  ref: SessionRef,
): Promise<ExistingSession | null> => {
  const state = await loadSession(store, ref);
  return state.status === "none" ? null : state;
};

/** @throws DomainError `session_not_found` */
export const requireSession = async (
  store: EventStore,
  ref: SessionRef,
): Promise<ExistingSession> => {
  const found = await findSession(store, ref);
  if (!found) throw sessionNotFound(ref);
  return found;
};

/** @throws DomainError `session_not_found`, `session_stopped` */
export const requireUndeletedSession = async (
  store: EventStore,
  ref: SessionRef,
): Promise<ExistingSession> => {
  const found = await requireSession(store, ref);
  if (found.status === "stopped") throw sessionStopped(ref);
  return found;
};

export const sessionNotFound = ({ session }: Pick<SessionRef, "session">): DomainError =>
  new DomainError("session_not_found", "There is no such session.", {
    fields: { sessionId: session },
  });

export const sessionStopped = ({ session }: Pick<SessionRef, "session">): DomainError =>
  new DomainError("session_stopped", "The session has been deleted.", {
    fields: { sessionId: session },
  });
