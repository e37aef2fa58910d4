import { agentIntegration } from "#contracts/policy/agent-tools";
import {
  changeConnector,
  createConnector,
  listConnectors,
  removeConnector,
  renameConnector,
  testConnector,
} from "#contracts/http/connectors";
import { isDomainError } from "#contracts/errors";
import type { Log } from "#event-store/log";
import type { ActionRegistry } from "../../actions/registry.ts";
import { handleRoute, type RouteHandler } from "../../gateway/handle-route.ts";
import type { Principal } from "../../gateway/principal.ts";
import { metaOf } from "../../gateway/request-meta.ts";
import { vendors } from "../vendors.ts";
import {
  commandConnector,
  type ConnectorKey,
  type ConnectorsDeps,
  giveSettings,
  loadConnectors,
  remove,
  requireConnector,
} from "./commands.ts";
import { connectorExists } from "./decider.ts";
import { openConnector, type OpenConnectorDeps } from "./open-connector.ts";

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
  handleRoute(createConnector, async (request) => {
    const { connector, name, settings } = request.body;
    const organization = request.principal.organizationId;
    await requireFreeName(deps.registry, { organization, connector });
    const given = { type: "CreateConnector", name, settings } as const;
    const key = { organization, connector };
    return {
      status: 202,
      body: { position: await giveSettings(deps, key, given, metaOf(request)) },
    };
  }),
  handleRoute(changeConnector, async (request) => {
    const given = { type: "ChangeConnector", settings: request.body } as const;
    const position = await giveSettings(deps, keyOf(request), given, metaOf(request));
    return { status: 202, body: { position } };
  }),
  handleRoute(renameConnector, async (request) => {
    const { organization, connector } = keyOf(request);
    const command = { type: "RenameConnector", connector, name: request.body.name } as const;
    const position = await commandConnector(deps.store, organization, command, metaOf(request));
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

/** A source of its own, which remembers no list. */
const test = async (deps: ConnectorRoutesDeps, known: Parameters<typeof openConnector>[1]) => {
  const source = openConnector(deps, known);
  try {
    await source.check?.();
    const actions = [...(await source.list())];
    return { problem: null, actions, leftOut: [...((await source.leftOut?.()) ?? [])] };
  } catch (error) {
    // That it fails is what was asked for, with the reason; what is no reason of ours is a failure here.
    if (!isDomainError(error)) throw error;
    deps.log.warn({ err: error, connector: known.connector }, "a connector's test has failed");
    const { code, message } = error;
    return { problem: { code, message }, actions: [], leftOut: [] };
  }
};
