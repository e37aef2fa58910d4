/** Forwards what comes for `port-sandbox.domain` to the port of this computer that stands for it. */
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { SandboxPool } from "./sandbox-pool.ts";

export interface TunnelTarget {
  readonly sandboxId: string;
  readonly port: number;
}

/** Null when the host is not one of a sandbox. */
export const parseTunnelHost = (host: string, domain: string): TunnelTarget | null => {
  const match = /^(\d+)-([^.]+)\.(.+)$/.exec(host);
  if (match?.[3] !== domain) return null;
  return { port: Number(match[1]), sandboxId: match[2] ?? "" };
};

/** The running sandbox and the port of this computer; null when nobody can answer. */
const reach = (pool: SandboxPool, target: TunnelTarget) => {
  const sandbox = pool.get(target.sandboxId);
  if (sandbox?.state() !== "running") return null;
  return { sandbox, port: sandbox.ports.get(target.port) ?? target.port };
};

export const forwardRequest = (
  pool: SandboxPool,
  target: TunnelTarget,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const reached = reach(pool, target);
  if (reached === null) return badGateway(response, target);
  reached.sandbox.holdConnection(response);
  const { method, url: path, headers } = request;
  const upstream = httpRequest({ host: "127.0.0.1", port: reached.port, method, path, headers });
  upstream.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    // Half an answer must not look like a whole one.
    answer.on("error", () => response.destroy());
  });
  upstream.on("error", () => {
    if (response.headersSent) response.destroy();
    else badGateway(response, target);
  });
  response.on("close", () => upstream.destroy());
  request.pipe(upstream);
};

/** WebSockets: the request is sent again as it came, and then bytes go both ways. */
export const forwardUpgrade = (
  pool: SandboxPool,
  target: TunnelTarget,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void => {
  const reached = reach(pool, target);
  if (reached === null) return void client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  const upstream = connect({ host: "127.0.0.1", port: reached.port }, () => {
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let index = 0; index < request.rawHeaders.length; index += 2) {
      lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`);
    }
    upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
    upstream.write(head);
    upstream.pipe(client).pipe(upstream);
  });
  reached.sandbox.holdConnection(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    // Whichever side breaks, the other has nobody left to talk to.
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
};

const badGateway = (response: ServerResponse, { sandboxId, port }: TunnelTarget): void => {
  const message = "The sandbox is not running or nothing listens on the port";
  response.writeHead(502, { "content-type": "application/json" });
  response.end(JSON.stringify({ sandboxId, message, port, code: 502 }));
};
