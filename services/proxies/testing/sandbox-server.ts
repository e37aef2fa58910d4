/**
 * Stands in for what listens in a sandbox: a real HTTP and WebSocket server on a port of its own, which
 * keeps the requests that it gets and answers some paths in ways that test a proxy.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

export interface SandboxServer {
  readonly url: string;
  /** What has arrived, oldest first. */
  readonly requests: readonly Pick<IncomingMessage, "method" | "url" | "headers">[];
  /** Sends one event to everybody who listens at `/events`. */
  sendEvent(text: string): void;
  /** How many listen at `/events`. */
  listeners(): number;
  close(): Promise<void>;
}

export const startSandboxServer = async (): Promise<SandboxServer> => {
  const requests: IncomingMessage[] = [];
  const listening = new Set<ServerResponse>();
  const answers: Readonly<
    Record<string, (request: IncomingMessage, response: ServerResponse) => void>
  > = {
    "/headers": (_request, response) => {
      response.writeHead(200, {
        "content-type": "text/html",
        "set-cookie": "proliferate_session=stolen; Path=/",
        "www-authenticate": "Basic realm=x",
        "clear-site-data": '"cookies"',
        "access-control-allow-credentials": "true",
        "content-security-policy": "default-src https:",
        "x-app": "kept",
        connection: "x-hop",
        "x-hop": "1",
      });
      response.end("<p>the app</p>");
    },
    "/echo": (request, response) => {
      response.writeHead(200);
      request.pipe(response);
    },
    "/moved": (_request, response) => {
      response.writeHead(302, { location: "/elsewhere?a=1" }).end();
    },
    "/silent": () => undefined,
    "/cut": (_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("the beginning", () => response.destroy());
    },
    "/events": (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      listening.add(response);
      response.once("close", () => listening.delete(response));
    },
  };
  const server = createServer((request, response) => {
    requests.push(request);
    const answer = answers[(request.url ?? "").split("?", 1)[0] ?? ""];
    if (answer) answer(request, response);
    else response.writeHead(200).end("ok");
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, request) => {
    requests.push(request);
    socket.on("message", (data, binary) => socket.send(data, { binary }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sendEvent: (text) => {
      for (const response of listening) response.write(`data: ${text}\n\n`);
    },
    listeners: () => listening.size,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
