import type { FastifyInstance } from "fastify";
import { Histogram, type Registry } from "prom-client";

export interface RequestMetrics {
  /**
   * Measures the requests of the API, by the patterns of their routes. Event streams last as long as somebody
   * reads, and what goes to sandboxes, as long as it takes there: neither is measured.
   */
  measure(app: FastifyInstance): void;
}

/** What proxies write into their logs for a client that went away before it was answered. */
const clientGone = 499;

export const requestMetrics = (registry: Registry): RequestMetrics => {
  const durations = new Histogram({
    name: "proliferate_http_request_duration_seconds",
    help: "Time from a request of the API to the end of its answer.",
    labelNames: ["route", "method", "status"],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    measure: (app) => {
      app.addHook("onRequest", ({ method, routeOptions }, reply, done) => {
        const { route } = routeOptions.config;
        if (route && route.streams !== true) {
          reply.raw.once("close", () => {
            const status = reply.raw.headersSent ? reply.statusCode : clientGone;
            const seconds = reply.elapsedTime / 1_000;
            durations.observe({ route: route.path, method, status }, seconds);
          });
        }
        done();
      });
    },
  };
};
