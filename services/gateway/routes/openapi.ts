import fastifySwagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import type { Route, RouteAudience } from "#contracts/http/route";

/** Describes the routes that are registered after this, at `/openapi.json`. */
export const serveOpenApi = async (app: FastifyInstance): Promise<void> => {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Proliferate",
        description: "A control plane for coding agents.",
        version: "1",
      },
      components: {
        securitySchemes: {
          accessToken: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
          sandboxToken: { type: "http", scheme: "bearer", bearerFormat: "sbx1" },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
};

/** What a route's description says besides its schemas. */
export const describeRoute = ({ audience, path, summary }: Route) => ({
  summary: audience === "approver" ? `${summary} (owners and admins)` : summary,
  tags: [path.split("/")[2] ?? "operations"],
  security: security[audience],
});

const security: Record<RouteAudience, Record<string, string[]>[]> = {
  public: [],
  user: [{ accessToken: [] }],
  approver: [{ accessToken: [] }],
  sandbox: [{ sandboxToken: [] }],
  user_or_sandbox: [{ accessToken: [] }, { sandboxToken: [] }],
};
