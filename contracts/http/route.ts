/**
 * HTTP routes as data: the gateway serves them, the client library calls them, and OpenAPI describes
 * them, all from the same schemas.
 */
import type { z } from "zod";

export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE";

/** Who may call a route: nobody needs to sign in, a person, a sandbox, or either of the two. */
export type RouteAudience = "public" | "user" | "approver" | "sandbox" | "user_or_sandbox";

export interface Route {
  readonly method: HttpMethod;
  /** With `:name` for path parameters, for example `/v1/sessions/:sessionId`. */
  readonly path: string;
  readonly audience: RouteAudience;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The successful answers by status. Every other answer is a problem document. */
  readonly responses: Readonly<Record<number, z.ZodType>>;
  /** The read models that a query with `after` waits for; all of them unless told. */
  readonly reads?: readonly string[];
}

/** Declares a route; the type keeps every schema as it was given. */
export const defineRoute = <const R extends Route>(route: R): R => route;
