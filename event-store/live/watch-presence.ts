/**
 * Who watches a session is known by asking: every process that has watchers listens on the session's
 * subject. Nothing is stored, so nothing outlives a process that died.
 */
import type { EventStore } from "../event-store.ts";
import { hasNoResponders, isTimeout } from "./request-failures.ts";
import { answerTimeoutMs, type Listening, serve } from "./request-reply.ts";

const presenceSubject = (sessionId: string): string => `watched.${sessionId}`;

/** Says that the session is watched here, to whoever asks, until it is stopped. */
export const announceWatched = (store: EventStore, sessionId: string): Listening =>
  serve(store, { subject: presenceSubject(sessionId) }, () => "");

/**
 * Whether anybody watches the session. Somebody who listens and is too slow to answer counts as a
 * watcher: at worst a sandbox runs a little longer.
 */
export const isWatched = async (
  { connection }: EventStore,
  sessionId: string,
): Promise<boolean> => {
  try {
    await connection.request(presenceSubject(sessionId), "", { timeout: answerTimeoutMs });
    return true;
  } catch (error) {
    if (hasNoResponders(error)) return false;
    if (isTimeout(error)) return true;
    throw error;
  }
};
