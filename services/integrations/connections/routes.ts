import {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
} from "#contracts/http/integrations";
import { handleRoute, type RouteHandler } from "../../gateway/handle-route.ts";
import { metaOf } from "../../gateway/request-meta.ts";
import { vendors } from "../vendors.ts";
import { connect, type ConnectionsDeps, disconnect, loadConnections } from "./commands.ts";

export const integrationRoutes = (deps: ConnectionsDeps): readonly RouteHandler[] => [
  handleRoute(listIntegrations, async ({ principal }) => {
    const connected = await loadConnections(deps.store, principal.organizationId);
    const integrations = vendors.map(({ id, name }) => ({
      vendor: id,
      name,
      connected: connected[id] !== undefined,
      baseUrl: connected[id]?.baseUrl ?? null,
    }));
    return { status: 200, body: { integrations } };
  }),
  handleRoute(connectIntegration, async (request) => {
    const { params, body, principal } = request;
    const meta = metaOf(request);
    const organization = principal.organizationId;
    const key = { organization, vendor: params.vendor, credentials: body };
    return { status: 202, body: { position: await connect(deps, key, meta) } };
  }),
  handleRoute(disconnectIntegration, async (request) => {
    const { params, principal } = request;
    const meta = metaOf(request);
    const key = { organization: principal.organizationId, vendor: params.vendor };
    return { status: 202, body: { position: await disconnect(deps, key, meta) } };
  }),
];
