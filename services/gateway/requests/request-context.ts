import type { Route } from "#contracts/http/route";
import type { Span } from "#event-store/tracing/tracing";
import type { Principal } from "../authentication/principal.ts";

/** What the gateway adds to Fastify's own types. */
declare module "fastify" {
  interface FastifyRequest {
    /** The bytes of the body as they arrived. */
    readonly rawBody: Buffer;
    /** Null on public routes. */
    principal: Principal | null;
    /** Null where no trace follows the request. */
    span: Span | null;
  }
  interface FastifyContextConfig {
    /** The route of `contracts`; the server's own (OpenAPI, files) have none. */
    readonly route?: Route;
  }
}
