/** The HTTP server: every route of the domains, the description of them, and the dashboard. */
import fastifyCookie from "@fastify/cookie";
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import type { Logger } from "pino";
import { type ProxiesOptions, serveProxies } from "../proxies/serve-proxies.ts";
import type { Metrics } from "../metrics/open-metrics.ts";
import { serveMetrics } from "../metrics/serve-metrics.ts";
import type { AllowedOrigins } from "./browsers/allowed-origins.ts";
import { addCors } from "./browsers/cors.ts";
import { answerRequestIds, correlationIdOf } from "./requests/correlation.ts";
import { serveDashboard } from "./browsers/dashboard-files.ts";
import type { RouteHandler } from "./routes/handle-route.ts";
import { serveOpenApi } from "./routes/openapi.ts";
import { type RequestTracing, traceRequests } from "./requests/request-spans.ts";
import { sendProblem } from "./routes/problems.ts";
import { registerRoute, type RouteDeps } from "./routes/register-route.ts";
import { keepRawBodies } from "./requests/request-body.ts";
import "./requests/request-context.ts";
import { endSilentSockets } from "./silent-sockets.ts";
import { addSecurityHeaders } from "./browsers/security-headers.ts";

const maxBodyBytes = 1024 * 1024;
/** How long a client may take to send a request. */
const requestTimeoutMs = 30_000;

export interface GatewayOptions extends RouteDeps {
  readonly handlers: readonly RouteHandler[];
  readonly log: Logger;
  readonly metrics: Pick<Metrics, "registry" | "requests">;
  /** What whoever collects the metrics has to send; null to have no page of them. */
  readonly metricsToken: string | null;
  /** Null or not given: no traces. */
  readonly tracing?: RequestTracing | null;
  /** Whose pages may use the API beside the dashboard; nobody's if not given. */
  readonly origins?: AllowedOrigins;
  /** What lets people into sandboxes; without it there are no proxies. */
  readonly proxies?: Omit<ProxiesOptions, "log">;
  /** The folder of the built dashboard; null to serve the API alone. */
  readonly dashboardDir: string | null;
}

/**
 * Builds the server; `listen` starts it. `close` refuses new requests, lets those under way end, and ends
 * the connections that wait for another one.
 */
export const buildGateway = async (options: GatewayOptions): Promise<FastifyInstance> => {
  // Fastify's own type, or the server's would be one of pino's that no plugin expects.
  const loggerInstance: FastifyBaseLogger = options.log;
  const app = Fastify({
    loggerInstance,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "correlationId",
    }),
    genReqId: correlationIdOf,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: "idle",
    // For URLs that cannot be read, before there is a route.
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
  });
  // An absent body arrives as null, which is not the same to a schema with a default.
  app.setValidatorCompiler((part) => {
    const validate = validatorCompiler(part as Parameters<typeof validatorCompiler>[0]);
    return part.httpPart === "body" ? (data: unknown) => validate(data ?? undefined) : validate;
  });
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.decorateRequest("principal", null);
  app.decorateRequest("span", null);
  // First, so that whatever is refused is in its trace too.
  if (options.tracing) traceRequests(app, options.tracing);
  options.metrics.requests.measure(app);
  keepRawBodies(app);
  answerRequestIds(app);
  addSecurityHeaders(app);
  endSilentSockets(app);
  if (options.origins) addCors(app, options.origins);
  app.addHook("onResponse", (request, reply, done) => {
    const { method, routeOptions } = request;
    const fields = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: reply.elapsedTime,
    };
    request.log.info(fields, "request answered");
    done();
  });
  await app.register(fastifyCookie);
  await serveOpenApi(app);
  for (const handler of options.handlers) registerRoute(app, handler, options);
  serveMetrics(app, { registry: options.metrics.registry, token: options.metricsToken });
  if (options.proxies) serveProxies(app, { ...options.proxies, log: options.log });
  await serveDashboard(app, options.dashboardDir);
  return app;
};
