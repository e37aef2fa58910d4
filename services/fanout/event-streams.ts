/** The live channel without WebSockets: the same clients and the same feeds, over server-sent events. */
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import type { EventStore } from "#event-store/event-store";
import { EventStreamSocket } from "./sockets/event-stream.ts";
import { type LiveStats, liveStatsOf } from "./live-stats.ts";
import { defaultLimits, type FanoutLimits } from "./limits.ts";
import { type ClientCounts, LiveClient, type LiveTicket } from "./client/live-client.ts";
import type { PastOfSession } from "./watched-session/load-init.ts";
import { reopenAfterReconnect } from "./watched-session/reopen-after-reconnect.ts";
import { goingAway } from "./sockets/socket-server.ts";
import { streamPlaces } from "./client/stream-places.ts";
import { watchSessionsOf } from "./watched-session/watch-sessions-of.ts";

export interface EventStreamsOptions extends PastOfSession {
  readonly store: EventStore;
  readonly log: Logger;
  readonly limits?: Partial<FanoutLimits>;
}

export interface EventStreams {
  /**
   * Everything of the session from now on, or after the event that was seen last, until the reader goes.
   * @param lastEventId of an earlier stream; null for a fresh start
   * @throws DomainError `too_many_event_streams` for somebody who has too many of them open here
   */
  open(watch: Omit<LiveTicket, "access"> & { readonly lastEventId: string | null }): Readable;
  stats(): LiveStats;
  /** Ends all streams and stops following. Fine to call twice. */
  close(): Promise<void>;
}

export const openEventStreams = (options: EventStreamsOptions): EventStreams => {
  const { store, log, loadTranscript, loadStatus } = options;
  const limits: FanoutLimits = { ...defaultLimits, ...options.limits };
  const counts: ClientCounts = { framesSent: 0, slowConsumers: 0 };
  const sockets = new Map<EventStreamSocket, LiveClient>();
  const places = streamPlaces(limits.streamsPerPerson);
  const sessions = watchSessionsOf(store, { limits, log });
  const observing = reopenAfterReconnect(store, sessions, log);
  return {
    open: ({ lastEventId, ...watcher }) => {
      const ticket: LiveTicket = { ...watcher, access: "watch" };
      const giveBack = places.take(watcher.userId);
      const socket = new EventStreamSocket(() => {
        giveBack();
        client.close();
        sockets.delete(socket);
      });
      // Who watches was settled with the request; there is no other ticket.
      const verifyTicket = () => Promise.resolve(ticket);
      const query = new URLSearchParams(lastEventId === null ? {} : { lastSeq: lastEventId });
      const deps = {
        ...{ sessions, verifyTicket, loadTranscript, loadStatus, limits, counts, log },
        commands: null,
      };
      const client = new LiveClient(socket, { query }, deps);
      sockets.set(socket, client);
      return socket.readable;
    },
    stats: () => liveStatsOf(sockets.values(), sessions, counts),
    close: async () => {
      observing.stop();
      for (const [socket, client] of sockets) {
        client.close();
        socket.close(goingAway.code, goingAway.reason);
      }
      await sessions.close();
    },
  };
};
