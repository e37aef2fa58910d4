/**
 * Binds a route of `contracts` to the function that answers it. Domain folders export lists of
 * these and know nothing of the HTTP server; the gateway registers them.
 */
import type { z } from "zod";
import type { Route, RouteAudience } from "#contracts/http/route";
import type { Traceparent } from "#event-store/tracing/tracing";
import type { Principal } from "../authentication/principal.ts";
import type { Cookie } from "../browsers/session-cookie.ts";

type Parsed<S> = S extends z.ZodType ? z.infer<S> : undefined;

type PrincipalFor<A extends RouteAudience> = A extends "public"
  ? null
  : A extends "user" | "approver"
    ? Extract<Principal, { kind: "user" }>
    : A extends "sandbox"
      ? Extract<Principal, { kind: "sandbox" }>
      : Principal;

/** A request whose parts have been checked against the route's schemas. */
export interface RouteRequest<R extends Route> {
  readonly params: Parsed<R["params"]>;
  readonly query: Parsed<R["query"]>;
  readonly headers: Parsed<R["headers"]>;
  readonly body: Parsed<R["body"]>;
  readonly principal: PrincipalFor<R["audience"]>;
  /** The bytes of the body as they arrived, for signatures. */
  readonly rawBody: Buffer;
  /** One for everything that this request leads to. */
  readonly correlationId: string;
  /** What its commands are a part of; undefined where no trace follows it. */
  readonly trace: Traceparent | undefined;
}

/** The statuses with which a route may be answered; refusals are thrown as DomainErrors. */
type StatusOf<R extends Route> = keyof R["responses"] & number;

/** An answer. It is written through the schema of its status, which leaves out what that does not name. */
export interface RouteReply<R extends Route, Status extends StatusOf<R> = StatusOf<R>> {
  readonly status: Status;
  readonly body: z.input<R["responses"][Status]>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly Cookie[];
}

export interface RouteHandler {
  readonly route: Route;
  readonly handler: (request: never) => Promise<unknown>;
}

/**
 * Pairs a route with its handler; the types of both must agree. The status is a type of its own so that a
 * number in the handler counts as that very status.
 */
export const handleRoute = <R extends Route, Status extends StatusOf<R>>(
  route: R,
  handler: (request: RouteRequest<R>) => Promise<RouteReply<R, Status>>,
): RouteHandler => ({ route, handler });
