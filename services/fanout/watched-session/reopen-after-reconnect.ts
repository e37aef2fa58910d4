import type { Logger } from "pino";
import type { EventStore } from "#event-store/event-store";
import type { WatchedSessions } from "./watched-sessions.ts";

/** Looks at every watched channel anew whenever the connection to NATS was lost and is back, until stopped. */
export const reopenAfterReconnect = (
  { connection }: EventStore,
  sessions: WatchedSessions,
  log: Logger,
): { stop(): void } => {
  let stopped = false;
  const observe = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      // Whoever stops this also closes the connection, which ends this loop at the latest.
      if (stopped) return;
      if (type === "reconnect") sessions.reopenAll();
    }
  };
  observe().catch((error: unknown) => {
    log.error({ err: error }, "reconnections to NATS cannot be observed");
  });
  return {
    stop: () => {
      stopped = true;
    },
  };
};
