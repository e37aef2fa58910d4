/** Calls the handler of a route directly: the domain's part of a request, without the HTTP server. */
import type { Route } from "#contracts/http/route";
import type { RouteHandler, RouteReply, RouteRequest } from "../../gateway/routes/handle-route.ts";

type Given<R extends Route> = Pick<RouteRequest<R>, "principal"> &
  Partial<Omit<RouteRequest<R>, "principal">>;

export const callHandler = async <R extends Route>(
  handlers: readonly RouteHandler[],
  route: R,
  request: Given<R>,
): Promise<RouteReply<R>> => {
  const found = handlers.find((handler) => handler.route === route);
  if (!found) throw new Error(`No handler for ${route.method} ${route.path}.`);
  const whole = { rawBody: Buffer.alloc(0), correlationId: "test", ...request };
  return (await found.handler(whole as never)) as RouteReply<R>;
};
