/**
 * A real stack for tests of this folder: NATS, Postgres with its projector, and the demo's MCP server.
 * Nothing in it is a fake; it leaves out what has nothing to do with actions.
 */
import { pino, type Logger } from "pino";
import type { Sql } from "postgres";
import { newId, type OrganizationId, type SessionId } from "#contracts/ids";
import type { SessionOrigin } from "#contracts/session/events";
import { newCommandMeta } from "#event-store/command-meta";
import type { Durability } from "#event-store/durability";
import type { EventStore } from "#event-store/event-store";
import { openTestEventStore } from "#event-store/testing/test-event-store";
import { createTestDatabase } from "#infra/testing/test-database";
import { openDatabase } from "#projections/database";
import { readModels } from "#projections/read-models";
import { startProjector } from "#projections/runtime/projector";
import { createConnectorRegistry } from "../../integrations/connectors/configured.ts";
import { type DemoMcpServer, startDemoMcpServer } from "../../integrations/demo/demo-mcp-server.ts";
import { createOutbound } from "../../integrations/outbound/outbound.ts";
import { createSession } from "../../sessions/creation/create-session.ts";
import { type DataKeyVault, openDataKeys, prepareDataKeys } from "../../secrets/data-keys.ts";
import { deriveKeys } from "../../secrets/keys.ts";
import type { ActionCommandsDeps } from "../commands.ts";
import { createRuleBudgets } from "../../policy/budgets/budgets.ts";
import {
  type FullResultTable,
  openFullResults,
  prepareFullResults,
} from "../full-results/full-result-table.ts";
import { openSessionLimits } from "../requests/session-limits.ts";

export interface ActionStack {
  readonly store: EventStore;
  /** For processes that work on the same log. */
  readonly natsUrl: string;
  readonly databaseUrl: string;
  readonly durability: Durability;
  readonly sql: Sql;
  readonly log: Logger;
  readonly demo: DemoMcpServer;
  /** What the commands of this folder need. */
  readonly deps: ActionCommandsDeps;
  /** Of full results, which are sealed; the log of this stack is not. */
  readonly vault: DataKeyVault;
  readonly fullResults: FullResultTable;
  readonly organization: OrganizationId;
  /** Moves the clock of the commands by so many milliseconds, from now on. */
  moveClock(ms: number): void;
  createSession(origin?: SessionOrigin): Promise<SessionId>;
  close(): Promise<void>;
}

/** Of the keys of full results. */
export const testSecretsKey = "07".repeat(32);

export const startActionStack = async (): Promise<ActionStack> => {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const log = pino({ level: "silent" });
    const { store, url: natsUrl, durability, close: closeStore } = await openTestEventStore();
    closing.push(closeStore);
    const database = await createTestDatabase();
    closing.push(() => database.drop());
    const sql = openDatabase({ url: database.url });
    closing.push(() => sql.end());
    await prepareDataKeys(sql);
    await prepareFullResults(sql);
    // Remembered for a moment only: an erasure waits for as long.
    const wrappingKey = deriveKeys(testSecretsKey).dataKeyWrapping;
    const vault = openDataKeys({ sql, wrappingKey, lifetimeMs: 200 });
    const projector = await startProjector({
      store,
      openSql: () => openDatabase({ url: database.url, maxConnections: 1 }),
      projections: readModels,
      log,
    });
    closing.push(() => projector.stop());
    const demo = await startDemoMcpServer();
    closing.push(() => demo.close());

    const outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"] });
    closing.push(() => outbound.close());

    const organization = newId("organization");
    const registry = createConnectorRegistry(
      [
        {
          id: "demo",
          name: "Demo releases",
          kind: "mcp",
          url: demo.url,
          headers: {},
          organizations: [organization],
        },
      ],
      outbound,
    );
    let offset = 0;
    const clock = (): Date => new Date(Date.now() + offset);
    return {
      store,
      natsUrl,
      databaseUrl: database.url,
      durability,
      sql,
      log,
      demo,
      organization,
      vault,
      fullResults: openFullResults({ sql, keys: vault }),
      deps: {
        store,
        registry,
        limits: await openSessionLimits(store, clock),
        budgets: createRuleBudgets(store),
        clock,
      },
      moveClock: (ms) => {
        offset += ms;
      },
      createSession: async (origin = { kind: "user", userId: newId("user") }) => {
        const { sessionId } = await createSession(
          { store, registry, log, defaultModel: "test" },
          {
            organization,
            title: "test",
            origin,
            repositories: [],
            prompt: null,
            idempotencyKey: null,
          },
          newCommandMeta({ actor: { kind: "service", id: "test", via: "test" } }),
        );
        return sessionId;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
