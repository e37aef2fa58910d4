import type { OrganizationId } from "#contracts/ids";
import type { ActionRegistry } from "../../actions/sources/registry.ts";
import { type ConnectorsDeps, loadConnectors } from "./commands.ts";
import { openConnector, type OpenConnectorDeps } from "./open-connector.ts";
import { createSourceCache } from "./source-cache.ts";

/** The connectors that an organisation has made, beside the sources that others offer. */
export const withConnectors = (
  others: ActionRegistry,
  deps: ConnectorsDeps & OpenConnectorDeps,
): ActionRegistry => {
  const cache = createSourceCache();
  const ownOf = async (organization: OrganizationId) => {
    const { connectors } = await loadConnectors(deps.store, organization);
    return Object.entries(connectors).map(([connector, record]) =>
      // Whatever is changed makes another source; the former one is not asked any more.
      cache.get(JSON.stringify([organization, connector, record]), () =>
        openConnector(deps, { organization, connector, record }),
      ),
    );
  };
  return {
    sourcesOf: async (organization) => {
      const [sources, own] = await Promise.all([
        others.sourcesOf(organization),
        ownOf(organization),
      ]);
      // What the operator has configured since then goes first.
      const taken = new Set(sources.map(({ id }) => id));
      return [...sources, ...own.filter(({ id }) => !taken.has(id))];
    },
  };
};
