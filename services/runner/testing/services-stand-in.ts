/**
 * Stands in for the services of sandboxes' sidecars: the part of the HTTP API that a trial uses. What is started
 * prints one line, and has ended well by the time at which somebody looks.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

const path = "/api/services";

/**
 * @param pass awaited before a service is started
 * @returns answers a request to the services; false for any other
 */
export const createServicesStandIn = (pass: () => Promise<void>) => {
  const started = new Set<string>();
  const views = () =>
    [...started].map((name) => ({
      name,
      ...{ command: "stand-in", cwd: "/", owner: "user", status: "stopped" },
      ...{ pid: null, startedAt: null, exitCode: 0, failures: 0 },
    }));

  return ({ method, url = "" }: IncomingMessage, response: ServerResponse): boolean => {
    if (!url.startsWith(path)) return false;
    const name = decodeURIComponent(/^\/api\/services\/([^/?]+)/.exec(url)?.[1] ?? "");
    if (method === "PUT") {
      void pass().then(() => {
        started.add(name);
        response.end(JSON.stringify({ outputFrom: null }));
      });
    } else if (name === "") {
      response.end(JSON.stringify({ services: views() }));
    } else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("id: 1\ndata: up\n\n");
    }
    return true;
  };
};
