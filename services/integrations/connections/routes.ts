import {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
  testIntegration,
} from "#contracts/http/integrations";
import { isDomainError } from "#contracts/errors";
import type { VendorId } from "#contracts/integration/events";
import { handleRoute, type RouteHandler } from "../../gateway/routes/handle-route.ts";
import { metaOf } from "../../gateway/requests/request-meta.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { proveCredentials } from "../vendor/prove-credentials.ts";
import type { VendorCredentials } from "../vendor/vendor.ts";
import { vendorOf, vendors } from "../vendors.ts";
import { connect, type ConnectionsDeps, disconnect, loadConnections } from "./commands.ts";
import { getCredentials } from "./credentials.ts";

export type IntegrationRoutesDeps = ConnectionsDeps & { readonly outbound: Outbound };

export const integrationRoutes = (deps: IntegrationRoutesDeps): readonly RouteHandler[] => [
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
    await prove(deps, params.vendor, body);
    const key = { organization, vendor: params.vendor, credentials: body };
    return { status: 202, body: { position: await connect(deps, key, meta) } };
  }),
  handleRoute(disconnectIntegration, async (request) => {
    const { params, principal } = request;
    const meta = metaOf(request);
    const key = { organization: principal.organizationId, vendor: params.vendor };
    return { status: 202, body: { position: await disconnect(deps, key, meta) } };
  }),
  handleRoute(testIntegration, async ({ params: { vendor }, principal }) => {
    const key = { organization: principal.organizationId, vendor };
    try {
      await prove(deps, vendor, await getCredentials(deps.secrets, key));
      return { status: 200, body: { problem: null } };
    } catch (error) {
      // That it fails is what was asked for, with the reason; what is no reason of ours is a failure here.
      if (!isDomainError(error)) throw error;
      const { code, message } = error;
      return { status: 200, body: { problem: { code, message } } };
    }
  }),
];

const prove = (
  { outbound }: IntegrationRoutesDeps,
  vendor: VendorId,
  credentials: VendorCredentials,
): Promise<void> => proveCredentials(vendorOf(vendor), { outbound, credentials });
