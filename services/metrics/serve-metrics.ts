/** `GET /metrics`, in the text format of Prometheus. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import { DomainError } from "#contracts/errors";

export interface ServedMetrics {
  /** What whoever collects the metrics sends as a bearer token; null to have no such page. */
  readonly token: string | null;
  readonly registry: Registry;
}

/** Serves the metrics to whoever has the token: sandboxes may share the network. */
export const serveMetrics = (app: FastifyInstance, { token, registry }: ServedMetrics): void => {
  app.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    if (token === null) throw new DomainError("not_found", "There are no metrics here.");
    if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`)) {
      throw new DomainError("unauthenticated", "The metrics need their token.");
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
};

const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(digest(given), digest(wanted));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
