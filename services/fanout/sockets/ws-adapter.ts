import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type ServerOptions, WebSocket, WebSocketServer } from "ws";
import type { EncodedFrame } from "../frame.ts";
import {
  closeTimeoutMs,
  goingAway,
  type Socket,
  type SocketServer,
  type SocketServerOptions,
} from "./socket-server.ts";

/** Serves sockets with the `ws` package: for every runtime that no native uWebSockets.js fits. */
export const openWsServer = async (options: SocketServerOptions): Promise<SocketServer> => {
  // The declarations do not know `closeTimeout` yet.
  const serverOptions: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    maxPayload: options.maxFrameBytes,
    perMessageDeflate: false,
    closeTimeout: closeTimeoutMs,
  };
  const webSockets = new WebSocketServer(serverOptions);
  const http = createServer((_request, response) => {
    response.writeHead(404).end();
  });
  http.on("upgrade", (request, stream, head) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname !== options.path) {
      refuse(stream, 404);
    } else if (!options.allowOrigin(request.headers.origin ?? null)) {
      refuse(stream, 403);
    } else {
      webSockets.handleUpgrade(request, stream, head, (ws) => {
        serve(new WsSocket(ws, stream), url.searchParams, options);
      });
    }
  });
  await listen(http, options);
  let closing: Promise<void> | null = null;
  return {
    adapter: "ws",
    port: (http.address() as AddressInfo).port,
    close: () => (closing ??= stop(http, webSockets)),
  };
};

const serve = (
  socket: WsSocket,
  query: URLSearchParams,
  { connect, idleTimeoutSeconds }: SocketServerOptions,
): void => {
  const { ws } = socket;
  const listener = connect(socket, { query });
  const heartbeat = startHeartbeat(ws, idleTimeoutSeconds);
  ws.on("message", (data, isBinary) => {
    // Without fragments or a binary type of its own, `ws` hands over one Buffer.
    listener.message(isBinary ? null : (data as Buffer).toString("utf8"));
  });
  // A broken frame or connection: `ws` closes the socket itself, and `close` follows.
  ws.on("error", () => undefined);
  ws.on("close", () => {
    heartbeat.stop();
    listener.close();
  });
};

/** Pings three times within the idle time, and cuts off a peer from which nothing came for all of it. */
const startHeartbeat = (ws: WebSocket, idleTimeoutSeconds: number): { stop(): void } => {
  let silentBeats = 0;
  const hear = (): void => {
    silentBeats = 0;
  };
  ws.on("pong", hear);
  ws.on("message", hear);
  const beat = setInterval(
    () => {
      if (silentBeats === 2) {
        ws.terminate();
      } else if (ws.readyState === WebSocket.OPEN) {
        silentBeats += 1;
        ws.ping();
      }
    },
    (idleTimeoutSeconds * 1000) / 3,
  );
  beat.unref();
  return {
    stop: () => {
      clearInterval(beat);
    },
  };
};

const refuse = (stream: Duplex, status: number): void => {
  // The peer may be gone before it reads the answer, which then matters to nobody.
  stream.on("error", () => undefined);
  stream.end(
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
};

const listen = (http: Server, { host, port }: SocketServerOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen({ host, port, exclusive: true }, () => {
      http.off("error", reject);
      resolve();
    });
  });

const stop = async (http: Server, webSockets: WebSocketServer): Promise<void> => {
  const closed = new Promise<void>((resolve) => {
    http.close(() => {
      resolve();
    });
  });
  for (const ws of webSockets.clients) ws.close(goingAway.code, goingAway.reason);
  http.closeAllConnections(); // Plain requests only: sockets have been handed over by then.
  await closed;
};

class WsSocket implements Socket {
  readonly ws: WebSocket;
  /** What lies below the WebSocket, to hold several frames back until they are one write. */
  readonly #stream: Duplex;

  constructor(ws: WebSocket, stream: Duplex) {
    this.ws = ws;
    this.#stream = stream;
  }

  send(frames: readonly EncodedFrame[]): boolean {
    if (this.ws.readyState !== WebSocket.OPEN) return false;
    this.#stream.cork();
    for (const { data } of frames) {
      // Without the callback a failing write would surface as an unhandled error; `close` follows it.
      this.ws.send(data, { binary: false }, () => undefined);
    }
    this.#stream.uncork();
    return true;
  }

  bufferedBytes(): number {
    return this.ws.readyState === WebSocket.OPEN ? this.ws.bufferedAmount : 0;
  }

  close(code: number, reason: string): void {
    // A closing or closed socket ignores it.
    this.ws.close(code, reason);
  }
}
