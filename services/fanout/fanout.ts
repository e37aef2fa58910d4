import type { Logger } from "pino";
import type { EventStore } from "#event-store/event-store";
import type { LiveCommands } from "./client/client-requests.ts";
import { type LiveStats, liveStatsOf } from "./live-stats.ts";
import { defaultLimits, type FanoutLimits } from "./limits.ts";
import { type ClientCounts, LiveClient, type VerifyTicket } from "./client/live-client.ts";
import type { LoadStatus, LoadTranscript } from "./watched-session/load-init.ts";
import { openSocketServer } from "./sockets/open-socket-server.ts";
import { reopenAfterReconnect } from "./watched-session/reopen-after-reconnect.ts";
import type { SocketServer } from "./sockets/socket-server.ts";
import { watchSessionsOf } from "./watched-session/watch-sessions-of.ts";

export interface FanoutOptions {
  readonly store: EventStore;
  /** Where to listen; 127.0.0.1 if not given. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly verifyTicket: VerifyTicket;
  /** Null: whoever connects may only watch. */
  readonly commands: LiveCommands | null;
  readonly loadTranscript: LoadTranscript;
  readonly loadStatus: LoadStatus;
  /** Whether a page of this origin may watch (`null`: not a browser). Everybody may if not given: the ticket decides. */
  readonly allowOrigin?: (origin: string | null) => boolean;
  readonly log: Logger;
  readonly limits?: Partial<FanoutLimits>;
  /** How sockets are served; probed if not given. */
  readonly openSockets?: typeof openSocketServer;
}

interface FanoutStats extends LiveStats {
  readonly adapter: SocketServer["adapter"];
  /** Sessions that were begun to be followed since the start. */
  readonly feedsOpened: number;
}

export interface Fanout extends AsyncDisposable {
  readonly port: number;
  stats(): FanoutStats;
  /** Closes all clients with 1001 and stops following. Fine to call twice. */
  close(): Promise<void>;
}

/** The path of the live channel. */
export const livePath = "/v1/live";

/**
 * Serves `ws://host:port/v1/live?ticket=…&lastSeq=…`: whoever has a ticket for a session is told
 * everything that is published of it. Rejects if the port is taken.
 */
export const startFanout = async (options: FanoutOptions): Promise<Fanout> => {
  const { store, log, allowOrigin = () => true, openSockets = openSocketServer } = options;
  const limits: FanoutLimits = { ...defaultLimits, ...options.limits };
  const counts: ClientCounts = { framesSent: 0, slowConsumers: 0 };
  const clients = new Set<LiveClient>();
  const sessions = watchSessionsOf(store, { limits, log });
  const server = await openSockets(
    {
      path: livePath,
      host: options.host ?? "127.0.0.1",
      port: options.port,
      idleTimeoutSeconds: limits.idleTimeoutSeconds,
      maxFrameBytes: limits.maxFrameBytes,
      allowOrigin,
      connect: (socket, request) => {
        const client = new LiveClient(socket, request, {
          sessions,
          verifyTicket: options.verifyTicket,
          commands: options.commands,
          loadTranscript: options.loadTranscript,
          loadStatus: options.loadStatus,
          limits,
          counts,
          log,
        });
        clients.add(client);
        return {
          message: (text) => {
            client.message(text);
          },
          close: () => {
            client.close();
            clients.delete(client);
          },
        };
      },
    },
    log,
  );

  const observing = reopenAfterReconnect(store, sessions, log);
  const close = async (): Promise<void> => {
    observing.stop();
    await server.close();
    for (const client of clients) client.close();
    await sessions.close();
  };
  return {
    port: server.port,
    stats: () => ({
      adapter: server.adapter,
      feedsOpened: sessions.opened,
      ...liveStatsOf(clients, sessions, counts),
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
};
