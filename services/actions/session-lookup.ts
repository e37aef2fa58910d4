import { DomainError } from "#contracts/errors";
import type { EventStore } from "#event-store/event-store";
import { loadKept } from "#event-store/aggregates/kept-aggregates";
import { sessionAggregate } from "../sessions/decider.ts";
import type { ExistingSession } from "../sessions/state.ts";
import type { SessionKey } from "./session-limits.ts";

/** The session as the log has it. Throws `session_not_found`, also for one of another organisation. */
export const requireSession = async (
  store: EventStore,
  { organization, sessionId }: SessionKey,
): Promise<ExistingSession> => {
  const { state } = await loadKept(store, sessionAggregate, { organization, id: sessionId });
  if (state.status === "none") {
    throw new DomainError("session_not_found", "There is no such session.", {
      fields: { sessionId },
    });
  }
  return state;
};
