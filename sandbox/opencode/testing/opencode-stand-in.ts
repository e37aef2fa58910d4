/** Stands in for an OpenCode server, to break connections in ways that a real one does only by chance. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Connection {
  /** Sent one after the other as soon as somebody listens. */
  readonly events: readonly string[];
  /** What the server answers while this connection is the newest. */
  readonly status: unknown;
  readonly messages: unknown;
  /** What waits for leave; nothing unless told. */
  readonly permissions?: readonly unknown[];
  /** Whether the stream stays open after the events. */
  readonly hold: boolean;
}

export interface OpencodeStandIn {
  readonly baseUrl: string;
  readonly aborts: () => number;
  close(): Promise<void>;
}

/** @param connections for one listener after the other; the last one repeats */
export const startOpencodeStandIn = async (
  sessionId: string,
  connections: readonly Connection[],
): Promise<OpencodeStandIn> => {
  let opened = 0;
  let aborts = 0;
  const current = (): Connection | undefined =>
    connections[Math.min(opened, connections.length) - 1];
  const json = (response: ServerResponse, body: unknown) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    switch (request.url) {
      case "/event": {
        opened += 1;
        response.writeHead(200, { "content-type": "text/event-stream" });
        const connected = JSON.stringify({ type: "server.connected", properties: {} });
        for (const event of [connected, ...(current()?.events ?? [])])
          response.write(`data: ${event}\n\n`);
        if (!current()?.hold) response.end();
        return;
      }
      case "/permission":
        json(response, current()?.permissions ?? []);
        return;
      case "/session/status":
        json(response, { [sessionId]: current()?.status });
        return;
      case `/session/${sessionId}/message`:
        json(response, current()?.messages);
        return;
      case `/session/${sessionId}/abort`:
        aborts += 1;
        json(response, true);
        return;
      default:
        response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    aborts: () => aborts,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
