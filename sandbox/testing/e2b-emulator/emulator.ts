/**
 * Stands in for the E2B service, at the level of its protocols: the real SDK talks to it over real sockets,
 * and what it starts are real processes of this computer.
 *
 * Emulated: the REST interface (create, connect, list, info, kill, timeout, pause, snapshots and their
 * removal, which is refused while sandboxes of them are there) with its error bodies and the key; envd (files,
 * file system, processes with input, signals and terminals); the public hosts of ports, WebSockets included;
 * pausing as stopped processes, so that memory survives; the pause or end after the timeout.
 *
 * Not emulated: the virtual machine (programs see this computer's file system, network and users, and run as
 * its user), TLS and HTTP/2, templates and their builds, quotas, regions, metrics, forks, volumes, network
 * rules, watching files, signed file addresses, keep-alive messages, resuming by traffic, and memory in
 * snapshots (their sandboxes start with the files only). Answers are as fast as this computer.
 */
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ZodError } from "zod";
import { answerControlPlane } from "./control-plane.ts";
import { answerEnvd } from "./envd/envd.ts";
import { faultQueue, type Fault, type FaultQueue } from "./faults.ts";
import { failure, type Reply } from "./reply.ts";
import { sandboxPool, type PoolOptions, type SandboxPool } from "./sandbox-pool.ts";
import { forwardRequest, forwardUpgrade, parseTunnelHost } from "./tunnels.ts";

export interface EmulatorOptions extends PoolOptions {
  readonly apiKey: string;
}

export interface E2bEmulator extends AsyncDisposable {
  /** For the SDK's `apiUrl` and `sandboxUrl` alike. */
  readonly url: string;
  /** What hosts of sandboxes end in. Node does not resolve such names; see `tunnelUrl`. */
  readonly domain: string;
  readonly faults: FaultQueue;
  /** What has been called, as `METHOD /path`, tunnels left out. */
  readonly calls: readonly string[];
  readonly sandboxes: Pick<SandboxPool, "get" | "list" | "snapshots" | "vanish">;
  /** An address of this computer that leads where the host would lead. */
  tunnelUrl(host: string): Promise<string>;
}

export const startE2bEmulator = async (options: EmulatorOptions): Promise<E2bEmulator> => {
  await mkdir(options.directory, { recursive: true });
  const pool = sandboxPool(options);
  const faults = faultQueue();
  const calls: string[] = [];
  const closing = new AbortController();
  const domain = "sandboxes.localhost";

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    fault: Fault | null,
  ): Promise<Reply | null> => {
    const url = new URL(request.url ?? "/", "http://emulator");
    const body = await readBody(request);
    const sandboxId = request.headers["e2b-sandbox-id"];
    if (sandboxId === undefined) {
      if (request.headers["x-api-key"] !== options.apiKey) return failure(401, "invalid API key");
      const json: unknown = body.length > 0 ? JSON.parse(body.toString("utf8")) : {};
      return answerControlPlane(
        { pool, domain },
        { method: request.method ?? "", url, body: json },
      );
    }
    const sandbox = pool.get(String(sandboxId));
    if (sandbox?.state() !== "running") {
      const message = "The sandbox was not found";
      return { status: 502, body: { sandboxId, message, code: 502 } };
    }
    sandbox.holdConnection(response);
    const cutStream = fault?.kind === "cut_stream";
    return answerEnvd({ sandbox, request, response, url, body, cutStream });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = `${request.method} ${(request.url ?? "").replace(/\?.*/, "")}`;
    calls.push(call);
    const fault = faults.take(call);
    if (fault?.kind === "drop") return void request.socket.destroy();
    if (fault?.kind === "refuse") {
      const { status, message, headers = {} } = fault;
      return send(response, { ...failure(status, message), headers });
    }
    if (fault?.kind === "delay") await delay(fault.ms, undefined, { signal: closing.signal });
    const reply = await answer(request, response, fault).catch(refusal);
    if (fault?.kind === "lose_answer") return void request.socket.destroy();
    if (reply !== null) send(response, reply);
  };

  const listen = async (fixedHost: string | null): Promise<Server> => {
    const targetOf = (request: IncomingMessage) =>
      parseTunnelHost(fixedHost ?? request.headers.host ?? "", domain);
    const server = createServer((request, response) => {
      const target = targetOf(request);
      if (target) forwardRequest(pool, target, request, response);
      // Only closing the emulator ends it early.
      else handle(request, response).catch(() => request.socket.destroy());
    });
    server.on("upgrade", (request, socket, head) => {
      const target = targetOf(request);
      if (target) forwardUpgrade(pool, target, request, socket, head);
      else socket.destroy();
    });
    // By default a connection that was idle for 5 s is closed, perhaps just as the client uses it again.
    server.keepAliveTimeout = 0;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  };

  const main = await listen(null);
  const doors = new Map<string, Promise<Server>>();
  return {
    url: urlOf(main),
    domain,
    faults,
    calls,
    sandboxes: pool,
    tunnelUrl: async (host) => {
      const door = doors.get(host) ?? listen(host);
      doors.set(host, door);
      return urlOf(await door);
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await pool.close();
      for (const server of [main, ...(await Promise.all(doors.values()))]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
};

const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const refusal = (error: unknown): Reply => {
  if (error instanceof ZodError || error instanceof SyntaxError) return failure(400, error.message);
  return failure(500, String(error));
};

const send = (response: ServerResponse, { status, body, headers }: Reply): void => {
  if (response.destroyed) return;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body ?? null));
  const type = { "content-type": "application/json", ...headers };
  if (body === undefined) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...type, "content-length": bytes.length }).end(bytes);
};
