import type { ClientCounts, LiveClient } from "./client/live-client.ts";
import type { WatchedSessions } from "./watched-session/watched-sessions.ts";

/** How many watch live in this process, and what they were told since its start. */
export interface LiveStats extends Readonly<ClientCounts> {
  readonly clients: number;
  readonly watchedSessions: number;
  /** What waits here because clients have not read it. */
  readonly bufferedBytes: number;
}

export const liveStatsOf = (
  clients: Iterable<LiveClient>,
  sessions: Pick<WatchedSessions, "size">,
  counts: Readonly<ClientCounts>,
): LiveStats => {
  const buffered = Array.from(clients, (client) => client.bufferedBytes());
  return {
    ...counts,
    clients: buffered.length,
    watchedSessions: sessions.size,
    bufferedBytes: buffered.reduce((sum, bytes) => sum + bytes, 0),
  };
};
