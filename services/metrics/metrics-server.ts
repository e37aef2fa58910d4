import Fastify, { type FastifyBaseLogger, LogController } from "fastify";
import type { Logger } from "pino";
import { DomainError } from "#contracts/errors";
import { sendProblem } from "../gateway/routes/problems.ts";
import "../gateway/requests/request-context.ts";
import type { Running } from "../running.ts";
import { type ServedMetrics, serveMetrics } from "./serve-metrics.ts";

export interface MetricsServer extends Running {
  readonly url: string;
}

/** Serves the metrics on a port of their own: for processes without a gateway. Rejects if the port is taken. */
export const startMetricsServer = async ({
  host,
  port,
  log,
  ...served
}: ServedMetrics & {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly log: Logger;
}): Promise<MetricsServer> => {
  // Fastify's own type, or the server's would be one of pino's.
  const loggerInstance: FastifyBaseLogger = log;
  const logController = new LogController({ disableRequestLogging: true });
  const app = Fastify({ loggerInstance, logController, forceCloseConnections: true });
  app.decorateRequest("span", null);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(new DomainError("not_found", "There is nothing here."), request, reply),
  );
  serveMetrics(app, served);
  const url = await app.listen({ host, port });
  return { url, stop: () => app.close() };
};
