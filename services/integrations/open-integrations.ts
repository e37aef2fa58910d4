/** Everything that organisations can act upon, and what it is kept and reached with. */
import type { ActionRegistry } from "../actions/sources/registry.ts";
import type { Config } from "../config.ts";
import { type Running, runningStack } from "../running.ts";
import { withConnectedVendors } from "./connections/registry.ts";
import {
  type ConnectorAccess,
  type ConnectorHome,
  openConnectorAccess,
} from "./connectors/access.ts";
import { type ConfiguredConnector, createConnectorRegistry } from "./connectors/configured.ts";
import { withConnectors } from "./connectors/registry.ts";
import { createOutbound } from "./outbound/outbound.ts";

export interface Integrations extends Running {
  readonly registry: ActionRegistry;
  /** What the connectors behind the registry are made with. */
  readonly connections: ConnectorAccess;
}

/** @param configured the connectors that the operator has named */
export const openIntegrations = async (
  home: ConnectorHome & { readonly config: Config },
  configured: readonly ConfiguredConnector[],
): Promise<Integrations> => {
  const opened = runningStack();
  try {
    const outbound = createOutbound({ allowedNetworks: home.config.OUTBOUND_ALLOWED_NETWORKS });
    opened.add({ stop: () => outbound.close() });
    // Whoever configures the program may name addresses of its own network.
    const operatorOutbound = createOutbound({ allowedNetworks: ["0.0.0.0/0", "::/0"] });
    opened.add({ stop: () => operatorOutbound.close() });
    const connections = await openConnectorAccess(home, outbound);
    const named = createConnectorRegistry(configured, operatorOutbound);
    const registry = withConnectors(withConnectedVendors(named, connections), connections);
    return { registry, connections, stop: opened.stop };
  } catch (error) {
    await opened.stop();
    throw error;
  }
};
