/**
 * Who watches a session is known by asking: every process that has watchers listens on the session's
 * subject. Nothing is stored, so nothing outlives a process that died.
 */
import type { Msg } from "@nats-io/transport-node";
import type { EventStore } from "./event-store.ts";
import type { Listening } from "./owner-requests.ts";
import { hasNoResponders, isTimeout } from "./request-failures.ts";

const requestTimeoutMs = 2_000;
const presenceSubject = (sessionId: string): string => `watched.${sessionId}`;

/** Says that the session is watched here, to whoever asks, until it is stopped. */
export const announceWatched = ({ connection }: EventStore, sessionId: string): Listening => {
  const subscription = connection.subscribe(presenceSubject(sessionId), {
    callback: (error: Error | null, message: Msg) => {
      if (!error) message.respond();
    },
  });
  return { stop: () => subscription.unsubscribe() };
};

/**
 * Whether anybody watches the session. Somebody who listens and is too slow to answer counts as a
 * watcher: at worst a sandbox runs a little longer.
 */
export const isWatched = async (
  { connection }: EventStore,
  sessionId: string,
): Promise<boolean> => {
  try {
    await connection.request(presenceSubject(sessionId), "", { timeout: requestTimeoutMs });
    return true;
  } catch (error) {
    if (hasNoResponders(error)) return false;
    if (isTimeout(error)) return true;
    throw error;
  }
};
