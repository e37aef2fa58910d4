import type { FastifyInstance, FastifyRequest, preHandlerAsyncHookHandler } from "fastify";
import type { Position } from "#contracts/position";
import { positionHeader } from "#contracts/http/common";
import type { Route } from "#contracts/http/route";
import { problemContentType, problemSchema } from "#contracts/problem";
import type { OrganizationId } from "#contracts/ids";
import type { Authenticate } from "../authentication/authenticate.ts";
import { authorize } from "../authentication/authorize.ts";
import type { RouteHandler } from "./handle-route.ts";
import { describeRoute } from "./openapi.ts";
import { refuseForeignPage, requireOwnPage } from "../browsers/same-origin.ts";
import type { Cookie } from "../browsers/session-cookie.ts";

/**
 * Waits until these read models, by default all, have reached a position of the organisation, for a while
 * at most; answers where they stand. @throws DomainError `position_invalid`
 */
export type AwaitPosition = (
  position: Position,
  organization: OrganizationId,
  models: readonly string[] | undefined,
) => Promise<Position>;

export interface RouteDeps {
  readonly authenticate: Authenticate;
  readonly awaitPosition: AwaitPosition;
}

/** A handler as the server calls it; `handleRoute` has made sure that the types agree. */
type AnyHandler = (request: unknown) => Promise<{
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly Cookie[];
}>;

/** Serves a route: who calls is settled before the body is read, and the body before the handler runs. */
export const registerRoute = (
  app: FastifyInstance,
  { route, handler }: RouteHandler,
  deps: RouteDeps,
): void => {
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: route.streams !== true,
    config: { route },
    schema: schemaOf(route),
    onRequest: (request) => admit(route, request, deps.authenticate),
    preHandler:
      route.query && "after" in route.query.shape ? [readOwnWrite(route, deps.awaitPosition)] : [],
    handler: async (request, reply) => {
      const { status, body, headers, cookies } = await (handler as AnyHandler)({
        params: request.params,
        query: request.query,
        headers: request.headers,
        body: request.body,
        principal: request.principal,
        rawBody: request.rawBody,
        correlationId: request.id,
        trace: request.span?.traceparent,
      });
      for (const { name, value, options } of cookies ?? []) reply.setCookie(name, value, options);
      return reply
        .code(status)
        .headers(headers ?? {})
        .send(body);
    },
  });
};

const schemaOf = (route: Route) => ({
  ...describeRoute(route),
  ...(route.params && { params: route.params }),
  ...(route.query && { querystring: route.query }),
  ...(route.headers && { headers: route.headers }),
  ...(route.body && { body: route.body }),
  response: {
    ...route.responses,
    default: {
      description: "The request was refused or has failed.",
      content: { [problemContentType]: { schema: problemSchema } },
    },
  },
});

const admit = async (
  route: Route,
  request: FastifyRequest,
  authenticate: Authenticate,
): Promise<void> => {
  if (route.audience === "public") return refuseForeignPage(request);
  const { principal, by } = await authenticate({
    authorization: request.headers.authorization,
    cookies: request.cookies,
  });
  if (by === "cookie") requireOwnPage(request);
  authorize(route, principal, request.params as Record<string, unknown>);
  request.principal = principal;
};

const readOwnWrite = (
  { reads }: Route,
  awaitPosition: AwaitPosition,
): preHandlerAsyncHookHandler => {
  return async (request, reply) => {
    const { after } = request.query as { readonly after?: Position };
    if (after === undefined || request.principal === null) return;
    const { organizationId } = request.principal;
    reply.header(positionHeader, await awaitPosition(after, organizationId, reads));
  };
};
