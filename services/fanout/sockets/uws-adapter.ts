import type { TemplatedApp, us_listen_socket, WebSocket } from "@trufflesuite/uws-js-unofficial";
import type { EncodedFrame } from "../frame.ts";
import type { UwsModule } from "./load-uws.ts";
import {
  goingAway,
  type Socket,
  type SocketListener,
  type SocketServer,
  type SocketServerOptions,
} from "./socket-server.ts";

interface Connection {
  readonly query: string;
  socket: UwsSocket | null;
  listener: SocketListener | null;
}

/** A port that is taken must be an error: by default uWS would share it with the other process. */
const exclusivePort = 1;

/** Serves sockets with native uWebSockets.js, on Node's own event loop. */
export const openUwsServer = async (
  uws: UwsModule,
  options: SocketServerOptions,
): Promise<SocketServer> => {
  const sockets = new Set<UwsSocket>();
  const app = uws.App();
  app.ws<Connection>(options.path, {
    idleTimeout: options.idleTimeoutSeconds,
    sendPingsAutomatically: true,
    maxPayloadLength: options.maxFrameBytes,
    // No native limit: it would silently swallow the close frame too, and the client would never
    // learn why it was cut off. The caller looks at `bufferedBytes` instead.
    maxBackpressure: 0,
    // The request is gone when this function returns: everything is read from it at once.
    upgrade: (response, request, context) => {
      const origin = request.getHeader("origin");
      if (!options.allowOrigin(origin === "" ? null : origin)) {
        response.writeStatus("403 Forbidden").end();
        return;
      }
      response.upgrade<Connection>(
        { query: request.getQuery(), socket: null, listener: null },
        request.getHeader("sec-websocket-key"),
        request.getHeader("sec-websocket-protocol"),
        request.getHeader("sec-websocket-extensions"),
        context,
      );
    },
    open: (ws) => {
      const connection = ws.getUserData();
      const socket = new UwsSocket(ws);
      connection.socket = socket;
      sockets.add(socket);
      connection.listener = options.connect(socket, {
        query: new URLSearchParams(connection.query),
      });
      // `connect` may have closed the socket already; its listener is told here, having come too late.
      if (socket.closed) connection.listener.close();
    },
    message: (ws, message, isBinary) => {
      // The bytes are only valid during this call; decoding copies them.
      ws.getUserData().listener?.message(isBinary ? null : Buffer.from(message).toString("utf8"));
    },
    close: (ws) => {
      const { socket, listener } = ws.getUserData();
      if (socket) {
        socket.closed = true;
        sockets.delete(socket);
      }
      listener?.close();
    },
  });
  app.any("/*", (response) => {
    response.writeStatus("404 Not Found").end();
  });

  const listening = await listen(app, options);
  let open = true;
  return {
    adapter: "uws",
    // The declarations forget that a listening socket is a socket.
    port: uws.us_socket_local_port(listening),
    close: () => {
      if (open) {
        open = false;
        uws.us_listen_socket_close(listening);
        for (const socket of [...sockets]) socket.close(goingAway.code, goingAway.reason);
      }
      return Promise.resolve();
    },
  };
};

const listen = (
  app: TemplatedApp,
  { host, port }: SocketServerOptions,
): Promise<us_listen_socket> =>
  new Promise((resolve, reject) => {
    // The declarations know `options` only without a host; the native function takes both.
    const listenOn = app.listen.bind(app) as unknown as (
      host: string,
      port: number,
      options: number,
      done: (socket: us_listen_socket | false) => void,
    ) => void;
    listenOn(host, port, exclusivePort, (socket) => {
      if (socket) resolve(socket);
      else reject(new Error(`cannot listen on ${host}:${String(port)}`));
    });
  });

class UwsSocket implements Socket {
  /** Any call on a closed native socket throws, so every method asks first. */
  closed = false;
  readonly #ws: WebSocket<Connection>;

  constructor(ws: WebSocket<Connection>) {
    this.#ws = ws;
  }

  send(frames: readonly EncodedFrame[]): boolean {
    if (this.closed) return false;
    this.#ws.cork(() => {
      for (const { data } of frames) this.#ws.send(data, false, false);
    });
    return true;
  }

  bufferedBytes(): number {
    return this.closed ? 0 : this.#ws.getBufferedAmount();
  }

  close(code: number, reason: string): void {
    if (!this.closed) this.#ws.end(code, reason);
  }
}
