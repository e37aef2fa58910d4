/** Serves `/proxy/:session/:ticket/:target/…` on the gateway, requests and WebSockets. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { DomainError, isDomainError } from "#contracts/errors";
import { admit, type AdmitDeps, type Admitted, proxyPath } from "./admit.ts";
import { type Connections, type ConnectionsOptions, openConnections } from "./connections.ts";
import { forwardRequest } from "./forward-request.ts";
import { forwardUpgrade, refuseUpgrade } from "./forward-upgrade.ts";
import { defaultProxyLimits, type ProxyLimits } from "./limits.ts";

export interface ProxiesOptions extends AdmitDeps, Pick<ConnectionsOptions, "announce"> {
  readonly log: Logger;
  readonly limits?: Partial<ProxyLimits>;
}

/** Adds the proxies to a server; what goes on through them is ended when it closes. */
export const serveProxies = (app: FastifyInstance, options: ProxiesOptions): void => {
  const limits: ProxyLimits = { ...defaultProxyLimits, ...options.limits };
  const { announce } = options;
  const connections = openConnections({ maxPerSession: limits.maxConnections, announce });
  app.addHook("preClose", (done) => {
    connections.endAll();
    done();
  });
  keepPagesApart(app, options);
  serveRequests(app, { ...options, limits, connections });
  app.server.on("upgrade", (request, socket: Duplex, head) => {
    void serveUpgrade({ ...options, limits, connections }, { request, socket, head });
  });
};

interface Served extends AdmitDeps {
  readonly log: Logger;
  readonly limits: ProxyLimits;
  readonly connections: Connections;
}

/** A host of a sandbox's pages has nothing of ours: no page to sign in on, and no API that would take it for one. */
const keepPagesApart = (app: FastifyInstance, { pages }: AdmitDeps): void => {
  app.addHook("onRequest", (request, _reply, done) => {
    const { host = "" } = request.headers;
    const apart = pages()?.include(host) === true && !request.url.startsWith(`${proxyPath}/`);
    done(apart ? new DomainError("not_found", "There is nothing here.") : undefined);
  });
};

const serveRequests = (app: FastifyInstance, served: Served): void => {
  app.register((scope, _options, done) => {
    // The body is passed on as it comes, whatever it is.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null, undefined));
    scope.all(`${proxyPath}/*`, { schema: { hide: true } }, (request, reply) =>
      serveRequest(served, request, reply),
    );
    done();
  });
};

const serveRequest = async (
  served: Served,
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const { raw: response } = reply;
  const admitted = await admit(served, describe(request, false));
  if (isPreflight(request, admitted)) return answerPreflight(reply);
  const gone = new AbortController();
  const leave = served.connections.open(admitted.ticket.sessionId, () => gone.abort());
  response.once("close", () => gone.abort());
  try {
    await forwardRequest({
      ...{ admitted, request, response, limits: served.limits, signal: gone.signal },
      onAnswer: () => {
        reply.hijack();
      },
    });
  } catch (error) {
    if (!reply.sent) throw gone.signal.aborted ? interrupted(error) : error;
    // The answer is cut off, which is how the client learns that it is not whole.
    response.destroy();
    reportBroken(served.log, admitted, error);
  } finally {
    leave();
  }
};

const serveUpgrade = async (
  served: Served,
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
): Promise<void> => {
  const gone = new AbortController();
  socket.on("error", () => gone.abort()); // The close that follows says all that matters.
  socket.once("close", () => gone.abort());
  let answered = false;
  let leave = (): void => undefined;
  try {
    const admitted = await admit(served, describe(request, true));
    leave = served.connections.open(admitted.ticket.sessionId, () => socket.destroy());
    await forwardUpgrade({
      ...{ admitted, request, socket, head, limits: served.limits, signal: gone.signal },
      onAnswer: () => {
        answered = true;
      },
    });
  } catch (error) {
    if (answered || gone.signal.aborted) {
      socket.destroy();
    } else {
      if (!isDomainError(error)) served.log.error({ err: error }, "a WebSocket was not proxied");
      refuseUpgrade(socket, isDomainError(error) ? error : interrupted(error));
    }
  } finally {
    leave();
  }
};

const describe = ({ method = "GET", url = "/", headers }: IncomingMessage, upgrade: boolean) => ({
  ...{ method, url, upgrade },
  host: headers.host ?? "",
  origin: headers.origin,
});

/** A page of the preview has an origin of its own, so the browser asks before it sends some requests. */
const isPreflight = ({ method, headers }: IncomingMessage, { ticket }: Admitted): boolean =>
  ticket.target === "preview" &&
  method === "OPTIONS" &&
  headers["access-control-request-method"] !== undefined;

const answerPreflight = async (reply: FastifyReply): Promise<void> => {
  await reply
    .code(204)
    .headers({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        reply.request.headers["access-control-request-headers"] ?? "*",
    })
    .send();
};

const reportBroken = (log: Logger, { ticket }: Admitted, error: unknown): void => {
  log.debug({ err: error, sessionId: ticket.sessionId }, "a proxied answer broke off");
};

const interrupted = (cause: unknown): DomainError =>
  new DomainError("proxy_upstream_failed", "The connection to the sandbox was given up.", {
    cause,
  });
