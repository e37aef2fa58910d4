import * as http from "#contracts/http/configurations";
import type { ConfigurationId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { getConfiguration, listConfigurations } from "#projections/configurations/queries";
import type { Queryable } from "#projections/database";
import { handleRoute, type RouteHandler } from "../gateway/routes/handle-route.ts";
import type { Principal } from "../gateway/authentication/principal.ts";
import { metaOf } from "../gateway/requests/request-meta.ts";
import {
  archiveConfiguration,
  changeConfiguration,
  type ConfigurationRef,
  createConfiguration,
} from "./commands.ts";
import { configurationNotFound } from "./decider.ts";

export interface ConfigurationRoutesDeps {
  readonly store: EventStore;
  /** The read models. */
  readonly sql: Queryable;
}

export const configurationRoutes = ({
  store,
  sql,
}: ConfigurationRoutesDeps): readonly RouteHandler[] => [
  handleRoute(http.createConfiguration, async (request) => {
    const { headers, principal } = request;
    const { name, ...settings } = request.body;
    const created = await createConfiguration(
      store,
      principal.organizationId,
      {
        name,
        settings,
        createdBy: principal.userId,
        idempotencyKey: headers["idempotency-key"] ?? null,
      },
      metaOf(request),
    );
    const location = `/v1/configurations/${created.configurationId}`;
    return { status: 201, body: created, headers: { location } };
  }),
  handleRoute(http.listConfigurations, async ({ principal, query }) => ({
    status: 200,
    body: await listConfigurations(sql, {
      organization: principal.organizationId,
      limit: query.limit,
      cursor: query.cursor,
      archived: query.archived === "true",
    }),
  })),
  handleRoute(http.getConfiguration, async ({ principal, params }) => {
    const found = await getConfiguration(sql, {
      organization: principal.organizationId,
      id: params.configurationId,
    });
    if (!found) throw configurationNotFound();
    return { status: 200, body: found };
  }),
  handleRoute(http.changeConfiguration, async (request) => {
    const { body } = request;
    const position = await changeConfiguration(store, refOf(request), body, metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(http.archiveConfiguration, async (request) => ({
    status: 202,
    body: { position: await archiveConfiguration(store, refOf(request), metaOf(request)) },
  })),
];

interface ConfigurationRequest {
  readonly principal: Principal;
  readonly params: { readonly configurationId: ConfigurationId };
}

const refOf = ({ principal, params }: ConfigurationRequest): ConfigurationRef => ({
  organization: principal.organizationId,
  id: params.configurationId,
});
