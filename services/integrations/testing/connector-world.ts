/** What connectors need, on real NATS and Postgres, with a way out to this machine. */
import { newId, type OrganizationId } from "#contracts/ids";
import { lastSequence } from "#event-store/reading/commit-feed";
import { openLeases } from "#event-store/leases/leases";
import { openTestEventStore } from "#event-store/testing/test-event-store";
import { createTestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import type { ActionRegistry } from "../../actions/sources/registry.ts";
import { runningStack } from "../../running.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import type { ConnectorsDeps } from "../connectors/commands.ts";
import { createConnectorRegistry } from "../connectors/configured.ts";
import { createAccessTokens } from "../connectors/oauth/access-tokens.ts";
import type { OpenConnectorDeps } from "../connectors/open-connector.ts";
import { withConnectors } from "../connectors/registry.ts";
import { createOutbound } from "../outbound/outbound.ts";

export interface ConnectorWorld {
  readonly deps: ConnectorsDeps &
    OpenConnectorDeps & { readonly registry: ActionRegistry; readonly clock: () => Date };
  /** Another process's view of the same connectors. */
  anotherProcess(): ActionRegistry;
  moveClock(ms: number): void;
  /** Everything that is in the log, as text. */
  loggedText(): Promise<string>;
  /** How many secrets an organisation has. */
  secretsOf(organization: OrganizationId): Promise<number>;
  close(): Promise<void>;
}

export const newAdmin = () =>
  ({
    kind: "user",
    userId: newId("user"),
    organizationId: newId("organization"),
    role: "admin",
  }) as const;

export const startConnectorWorld = async (): Promise<ConnectorWorld> => {
  const opened = runningStack();
  try {
    const { store, close } = await openTestEventStore();
    opened.add({ stop: close });
    const database = await createTestDatabase();
    opened.add({ stop: () => database.drop() });
    const sql = openDatabase({ url: database.url });
    opened.add({ stop: () => sql.end() });
    const outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"] });
    opened.add({ stop: () => outbound.close() });
    const secrets = await openSecrets(sql, new Uint8Array(32).fill(7));
    const leases = await openLeases(store, "runtime");
    let offset = 0;
    const clock = (): Date => new Date(Date.now() + offset);
    const configured = createConnectorRegistry(
      [
        {
          id: "configured",
          name: "Configured",
          kind: "mcp",
          url: "http://127.0.0.1:1024/",
          headers: {},
          organizations: null,
        },
      ],
      outbound,
    );
    let processes = 0;
    const open = () => {
      const instance = `process-${(processes += 1)}`;
      const accessTokens = createAccessTokens({ secrets, outbound, leases, instance, clock });
      const deps = { store, secrets, outbound, accessTokens };
      return { ...deps, clock, registry: withConnectors(configured, deps) };
    };
    return {
      deps: open(),
      anotherProcess: () => open().registry,
      moveClock: (ms) => {
        offset += ms;
      },
      loggedText: async () => {
        const texts: string[] = [];
        const last = await lastSequence(store, 0);
        for (let seq = 1; seq <= last; seq += 1) {
          const message = await store.jsm.streams.getMessage("EVENTS_0", { seq });
          texts.push(message?.string() ?? "");
        }
        return texts.join("\n");
      },
      secretsOf: async (organization) => {
        const rows = await sql`
          SELECT name FROM vault.secrets WHERE organization_id = ${organization}`;
        return rows.length;
      },
      close: opened.stop,
    };
  } catch (error) {
    await opened.stop();
    throw error;
  }
};
