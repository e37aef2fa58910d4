/** The sidecar's HTTP server. Everything but its health needs the token. */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { DomainError } from "#contracts/errors";
import { problemContentType, problemOf } from "#contracts/problem";
import type { Access } from "./access.ts";
import { findRoute, readJson, sendError, sendReply, type Route } from "./api.ts";

/** Takes a WebSocket over once it may be opened. */
export type OpenWebSocket = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  query: Readonly<Record<string, string>>,
) => void;

export interface SidecarServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly access: Access;
  readonly report: (error: unknown) => void;
}

/** Answers everything below a path by itself, once the token has been checked. */
export interface Mount {
  /** @throws DomainError before it has answered */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** @throws DomainError before it has answered */
  readonly open: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
}

/** What is served, once there is something to serve. */
export interface Served {
  readonly routes: readonly Route[];
  readonly webSockets: Readonly<Record<string, OpenWebSocket>>;
  /** By the path that they begin below, such as `/vscode`. */
  readonly mounts: Readonly<Record<string, Mount>>;
}

export interface SidecarServer {
  readonly port: number;
  /** Until then requests wait. */
  serve(served: Served): void;
  close(): Promise<void>;
}

/**
 * Listens before anything else is done: of two sidecars on one port the second ends here and has touched
 * nothing.
 * @throws Error of Node, `EADDRINUSE` among others
 */
export const listen = async (options: SidecarServerOptions): Promise<SidecarServer> => {
  let serve: (served: Served) => void = () => undefined;
  const served = new Promise<Served>((resolve) => {
    serve = resolve;
  });
  const server = createServer((request, response) => {
    void served
      .then((serving) => answer(options, serving, request, response))
      .catch(options.report);
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.on("upgrade", (request, socket: Duplex, head) => {
    socket.on("error", () => socket.destroy()); // The client has gone before it was answered.
    void served
      .then((serving) => upgrade(options.access, serving, { request, socket, head }))
      .catch((error: unknown) => refuseUpgrade(socket, error, options.report));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    serve,
    close: () => closeServer(server),
  };
};

const answer = async (
  { access, report }: SidecarServerOptions,
  { routes, mounts }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const url = parseUrl(request);
    const isOpen = routes.some((each) => each.open === true && each.pattern === url.pathname);
    if (!isOpen) access.requireToken(request.headers);
    const mount = mountOf(mounts, request);
    if (mount) return await mount.answer(request, response);
    const { route, params } = findRoute(routes, request.method, url.pathname);
    const reply = await route.handle({
      params,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: route.method === "POST" || route.method === "PUT" ? await readJson(request) : undefined,
      gone: gone.signal,
    });
    await sendReply(response, reply);
  } catch (error) {
    sendError(response, error, report);
  }
};

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** By the path as it was sent: whoever answers below it reads that path anew. */
const mountOf = (mounts: Served["mounts"], { url = "" }: IncomingMessage): Mount | undefined =>
  Object.entries(mounts).find(([path]) => url.startsWith(`${path}/`))?.[1];

const upgrade = async (
  access: Access,
  { webSockets, mounts }: Served,
  { request, socket, head }: Upgrade,
): Promise<void> => {
  access.requireToken(request.headers);
  access.requireOrigin(request.headers);
  const mount = mountOf(mounts, request);
  if (mount) return mount.open(request, socket, head);
  const url = parseUrl(request);
  const open = webSockets[url.pathname];
  if (open === undefined) throw new DomainError("not_found", "There is no WebSocket at this path.");
  open(request, socket, head, Object.fromEntries(url.searchParams));
};

const refuseUpgrade = (socket: Duplex, thrown: unknown, report: (error: unknown) => void): void => {
  const known = thrown instanceof DomainError;
  if (!known) report(thrown);
  const error = known ? thrown : new DomainError("internal", "The sidecar has made a mistake.");
  const body = JSON.stringify(problemOf(error));
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ""}`,
      `content-type: ${problemContentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
};

const parseUrl = (request: IncomingMessage): URL => {
  try {
    return new URL(request.url ?? "/", "http://sidecar");
  } catch (error) {
    throw new DomainError("request_malformed", "The address is malformed.", { cause: error });
  }
};

const closeServer = async (server: Server): Promise<void> => {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
};
