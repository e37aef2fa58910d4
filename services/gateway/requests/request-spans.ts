/** A span for each request of the API, by OpenTelemetry's semantic conventions for HTTP servers. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { traceparentHeader, type Tracing } from "#event-store/tracing/tracing";

export interface RequestTracing extends Tracing {
  /**
   * Whether a request goes on with the trace that it names. Anybody can send the header: who does not sit
   * behind a proxy that sets it lets strangers write into their traces, and have all of theirs recorded.
   */
  readonly trustsIncoming: boolean;
}

/**
 * Follows the routes of `contracts`; what goes through proxies, the dashboard's files and the metrics page
 * are not followed. Only the route's pattern is told: paths hold tickets.
 */
export const traceRequests = (app: FastifyInstance, tracing: RequestTracing): void => {
  app.addHook("onRequest", (request, reply, done) => {
    const { route } = request.routeOptions.config;
    if (route) {
      const span = tracing.start({
        name: `${request.method} ${route.path}`,
        kind: "server",
        parent: tracing.trustsIncoming ? incomingOf(request) : undefined,
        attributes: {
          "http.request.method": request.method,
          "http.route": route.path,
          "url.scheme": request.protocol,
          "proliferate.correlation": request.id,
        },
      });
      request.span = span;
      request.log = request.log.child({ trace_id: span.traceId });
      reply.log = request.log;
      // Also when the caller has gone before it was answered.
      reply.raw.once("close", () => {
        span.set({
          "http.response.status_code": reply.raw.headersSent ? reply.statusCode : undefined,
          "proliferate.organization": request.principal?.organizationId,
          "proliferate.session": sessionOf(request),
        });
        span.end();
      });
    }
    done();
  });
};

const incomingOf = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers[traceparentHeader];
  return typeof given === "string" ? given : undefined;
};

/** Of the path, once it has been checked; or of the sandbox that asks. */
const sessionOf = ({ params, principal }: FastifyRequest): string | undefined => {
  if (principal?.kind === "sandbox") return principal.sessionId;
  const { sessionId } = (params ?? {}) as { readonly sessionId?: unknown };
  return principal !== null && typeof sessionId === "string" ? sessionId : undefined;
};
