/**
 * The socket layer that the fan-out tier needs, and no more: text frames, one path, and a send that
 * takes several frames at once. Two adapters implement it (`uws-adapter.ts`, `ws-adapter.ts`); both
 * pass the same contract tests.
 */
import type { EncodedFrame } from "../frame.ts";

/** One connected client. */
export interface Socket {
  /** Sends text frames, all in one write if it can. Never throws; false: the socket is closed. */
  send(frames: readonly EncodedFrame[]): boolean;
  /** Bytes that wait in this process because the client does not read; 0 when closed. */
  bufferedBytes(): number;
  /**
   * Says goodbye: what waits is still delivered, then the close frame. A client that does not read
   * it is cut off after some seconds. `close` of the listener is called once, at once or soon after.
   * Does nothing on a closed socket.
   */
  close(code: number, reason: string): void;
}

/** What a client asked for when it connected. */
export interface SocketRequest {
  readonly query: URLSearchParams;
}

/** Told of everything that happens to one socket. Must not throw. */
export interface SocketListener {
  /** A text frame of the client; `null` for a binary one, whose content nobody looks at. */
  message(text: string | null): void;
  /** The socket is gone, for whatever reason; nothing is called after it. */
  close(): void;
}

export interface SocketServerOptions {
  /** The only path that is upgraded; all others answer 404. */
  readonly path: string;
  readonly host: string;
  /** 0 takes any free port. A taken port is an error, never shared. */
  readonly port: number;
  /** A client that answers no ping for this long is dropped. Seconds, 8 to 960. */
  readonly idleTimeoutSeconds: number;
  /** A larger frame of a client ends its connection. Bytes. */
  readonly maxFrameBytes: number;
  /** Whether a page of this origin may connect (`null`: no browser); others answer 403. */
  readonly allowOrigin: (origin: string | null) => boolean;
  /** Called once for each new connection. Must not throw. */
  readonly connect: (socket: Socket, request: SocketRequest) => SocketListener;
}

export interface SocketServer {
  readonly adapter: "uws" | "ws";
  readonly port: number;
  /** Stops listening and closes all sockets with 1001. Fine to call twice. */
  close(): Promise<void>;
}

/** Close code and reason of a server that stops (RFC 6455, 7.4.1). */
export const goingAway = { code: 1001, reason: "server_stopping" } as const;

/** How long a socket that is being closed may take before it is cut off, in milliseconds. */
export const closeTimeoutMs = 5_000;
