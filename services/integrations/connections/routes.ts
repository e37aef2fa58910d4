import {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
} from "#contracts/http/integrations";
import { newCommandMeta } from "#event-store/command-meta";
import { handleRoute, type RouteHandler } from "../../gateway/handle-route.ts";
import { actorOf } from "../../gateway/principal.ts";
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
  handleRoute(connectIntegration, async ({ params, body, principal, correlationId }) => {
    const meta = newCommandMeta({ actor: actorOf(principal), correlationId });
    const organization = principal.organizationId;
    const key = { organization, vendor: params.vendor, credentials: body };
    return { status: 202, body: { position: await connect(deps, key, meta) } };
  }),
  handleRoute(disconnectIntegration, async ({ params, principal, correlationId }) => {
    const meta = newCommandMeta({ actor: actorOf(principal), correlationId });
    const key = { organization: principal.organizationId, vendor: params.vendor };
    return { status: 202, body: { position: await disconnect(deps, key, meta) } };
  }),
];
