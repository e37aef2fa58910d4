import {
  authorizationCallback,
  authorizeConnector,
  finishAuthorization,
} from "#contracts/http/connectors";
import { handleRoute, type RouteHandler } from "../../../gateway/routes/handle-route.ts";
import { metaOf } from "../../../gateway/requests/request-meta.ts";
import { type AuthorizationDeps, beginAuthorization, endAuthorization } from "./authorization.ts";
import { returnPage } from "./return-page.ts";

export interface AuthorizationRoutesDeps extends AuthorizationDeps {
  /** The path that ends an authorization: the dashboard's page, or a route where there is no dashboard. */
  readonly finishPath: string;
}

export const authorizationRoutes = (deps: AuthorizationRoutesDeps): readonly RouteHandler[] => [
  handleRoute(authorizeConnector, async ({ params, principal }) => {
    const key = { organization: principal.organizationId, connector: params.connector };
    const authorizationUrl = await beginAuthorization(deps, key, principal.userId);
    return { status: 200, body: { authorizationUrl } };
  }),
  handleRoute(authorizationCallback, ({ query }) =>
    Promise.resolve({
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8" },
      body: returnPage(deps.finishPath, query),
    }),
  ),
  handleRoute(finishAuthorization, async (request) => {
    const { query, principal } = request;
    const { organizationId: organization, userId } = principal;
    const meta = metaOf(request);
    const connector = await endAuthorization(deps, { organization, userId }, query, meta);
    return { status: 200, body: { connector, authorized: true as const } };
  }),
];
