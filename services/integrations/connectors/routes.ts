import { agentIntegration } from "#contracts/policy/agent-tools";
import {
  changeConnector as changeConnectorRoute,
  createConnector as createConnectorRoute,
  listConnectors,
  removeConnector,
  testConnector,
} from "#contracts/http/connectors";
import { isDomainError } from "#contracts/errors";
import type { Log } from "#event-store/log";
import type { ActionRegistry } from "../../actions/sources/registry.ts";
import { handleRoute, type RouteHandler } from "../../gateway/routes/handle-route.ts";
import type { Principal } from "../../gateway/authentication/principal.ts";
import { metaOf } from "../../gateway/requests/request-meta.ts";
import { vendors } from "../vendors.ts";
import {
  type ConnectorKey,
  type ConnectorsDeps,
  loadConnectors,
  remove,
  requireConnector,
} from "./commands.ts";
import { connectorExists } from "./decider.ts";
import { changeConnector, createConnector } from "./give-settings.ts";
import type { OpenConnectorDeps } from "./open-connector.ts";
import { tryConnector } from "./try-connector.ts";

export interface ConnectorRoutesDeps extends ConnectorsDeps, OpenConnectorDeps {
  readonly registry: ActionRegistry;
  readonly log: Log;
}

interface Requested {
  readonly principal: Extract<Principal, { kind: "user" }>;
}

const keyOf = ({
  principal,
  params,
}: Requested & { readonly params: { readonly connector: string } }): ConnectorKey => ({
  organization: principal.organizationId,
  connector: params.connector,
});

export const connectorRoutes = (deps: ConnectorRoutesDeps): readonly RouteHandler[] => [
  handleRoute(listConnectors, async ({ principal }) => {
    const { connectors } = await loadConnectors(deps.store, principal.organizationId);
    const views = Object.entries(connectors).map(([connector, record]) => {
      const { name, target, authorized } = record;
      return { connector, name, target, authorized };
    });
    return { status: 200, body: { connectors: views } };
  }),
  handleRoute(createConnectorRoute, async (request) => {
    const { connector, ...given } = request.body;
    const key = { organization: request.principal.organizationId, connector };
    await requireFreeName(deps.registry, key);
    const position = await createConnector(deps, key, given, metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(changeConnectorRoute, async (request) => {
    const position = await changeConnector(deps, keyOf(request), request.body, metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(removeConnector, async (request) => ({
    status: 202,
    body: { position: await remove(deps, keyOf(request), metaOf(request)) },
  })),
  handleRoute(testConnector, async (request) => {
    const key = keyOf(request);
    const record = await requireConnector(deps.store, key);
    return { status: 200, body: await test(deps, { ...key, record }) };
  }),
];

/** Names of sources that are no connectors, whether the organisation has them already or not. */
const reserved: ReadonlySet<string> = new Set([agentIntegration, ...vendors.map(({ id }) => id)]);

const requireFreeName = async (
  registry: ActionRegistry,
  { organization, connector }: ConnectorKey,
): Promise<void> => {
  const sources = await registry.sourcesOf(organization);
  const taken = reserved.has(connector) || sources.some(({ id }) => id === connector);
  if (taken) throw connectorExists(connector);
};

const test = async (deps: ConnectorRoutesDeps, known: Parameters<typeof tryConnector>[1]) => {
  try {
    const { actions, leftOut } = await tryConnector(deps, known);
    return { problem: null, actions: [...actions], leftOut: [...leftOut] };
  } catch (error) {
    // That it fails is what was asked for, with the reason; what is no reason of ours is a failure here.
    if (!isDomainError(error)) throw error;
    deps.log.warn({ err: error, connector: known.connector }, "a connector's test has failed");
    const { code, message } = error;
    return { problem: { code, message }, actions: [], leftOut: [] };
  }
};
