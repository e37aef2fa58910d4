/** A small real MCP server on this machine, so that the demo has something to act upon. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createReleasesServer, type Release } from "./releases.ts";

export interface DemoMcpServer {
  readonly url: string;
  /** What was published so far, as the server holds it. */
  readonly releases: readonly Release[];
  close(): Promise<void>;
}

/** Starts the server on a free port of the loopback interface. What it knows is gone when it closes. */
export const startDemoMcpServer = async (): Promise<DemoMcpServer> => {
  const releases: Release[] = [];
  const server = createServer((request, response) => {
    answer(releases, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    releases,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const answer = async (
  releases: Release[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  // A web page whose name was made to resolve to this machine names itself here.
  if (!/^127\.0\.0\.1:\d+$/.test(request.headers.host ?? "")) {
    response.writeHead(403).end();
    return;
  }
  if (new URL(request.url ?? "/", "http://127.0.0.1").pathname !== "/mcp") {
    response.writeHead(404).end();
    return;
  }
  if (request.method !== "POST") {
    // There is nothing to say that was not asked for, and there are no sessions to end.
    response.writeHead(405, { allow: "POST" }).end();
    return;
  }
  const server = createReleasesServer(releases);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once("close", () => {
    // Both only forget what they hold; the answer is out or has nobody to go to.
    void transport.close().then(() => server.close());
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
};
