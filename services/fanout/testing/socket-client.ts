/** A WebSocket client for tests: collects what it is sent, and how the connection ended. */
import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";

export interface SocketClient {
  readonly ws: WebSocket;
  /** Every text frame so far. */
  readonly texts: string[];
  /** Settles when the connection is over; code 1006 if it ended without a goodbye. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** Cuts the connection without a goodbye. */
  cut(): void;
}

/** Connects; rejects if the server refuses the upgrade. */
export const connectSocket = async (
  url: string,
  options: ClientOptions = {},
): Promise<SocketClient> => {
  const ws = new WebSocket(url, { perMessageDeflate: false, ...options });
  const texts: string[] = [];
  ws.on("message", (data) => texts.push((data as Buffer).toString("utf8")));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on("close", (code, reason) => {
      resolve({ code, reason: reason.toString("utf8") });
    });
  });
  await once(ws, "open");
  // What breaks from here on is seen in `closed`.
  ws.on("error", () => undefined);
  return {
    ws,
    texts,
    closed,
    cut: () => {
      ws.terminate();
    },
  };
};
