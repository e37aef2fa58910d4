/** Test support: a log, a database, and projectors over both, all real and of the test's own. */
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { Position } from "#contracts/position";
import { openTestEventStore, type TestEventStore } from "#event-store/testing/test-event-store";
import { createTestDatabase } from "#infra/testing/test-database";
import type { Sql } from "postgres";
import { openDatabase } from "../database.ts";
import { readModels } from "../read-models.ts";
import type { Projection } from "../runtime/projection.ts";
import { type Projector, startProjector } from "../runtime/projector.ts";
import { openProgress } from "../wait-for-position.ts";
import { type LogWriter, openLogWriter } from "./log-writer.ts";

/** Discards what is logged: the tests look at `status()`. */
export const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface TestReadModels extends AsyncDisposable {
  /** Where the store is, for programs that open it themselves. */
  readonly log: TestEventStore;
  readonly store: EventStore;
  readonly sql: Sql;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly writer: LogWriter;
  /** Starts a projector, which `dispose` stops. */
  startProjector(options?: {
    readonly projections?: readonly Projection[];
    readonly maxBatch?: number;
    readonly standbyMs?: number;
    readonly retryHaltedMs?: number;
  }): Promise<Projector>;
  /** Opens a pool of one connection to the read models, or to the schema named. */
  openSql(schema?: string): Sql;
  /** Waits until the read models contain the commit. */
  reached(position: Position): Promise<void>;
}

export const openTestReadModels = async ({ shards = 1 } = {}): Promise<TestReadModels> => {
  const log = await openTestEventStore({ shards });
  const database = await createTestDatabase();
  const sql = openDatabase({ url: database.url });
  const openSql = (schema?: string): Sql =>
    openDatabase({ url: database.url, maxConnections: 1, ...(schema && { schema }) });
  const projectors: Projector[] = [];
  return {
    log,
    store: log.store,
    sql,
    databaseUrl: database.url,
    natsUrl: log.url,
    openSql,
    writer: openLogWriter(log.store),
    startProjector: async (options = {}) => {
      const projector = await startProjector({
        store: log.store,
        openSql,
        projections: readModels,
        log: silent,
        standbyMs: 50,
        ...options,
      });
      projectors.push(projector);
      return projector;
    },
    reached: async (position) => {
      await using progress = await openProgress(sql);
      const stands = await progress.waitForPosition(position, { timeoutMs: 30_000 });
      if (Number(stands.split(":")[1]) < Number(position.split(":")[1])) {
        throw new Error(`The read models have only come to ${stands}, not to ${position}.`);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(projectors.map((projector) => projector.stop()));
      await sql.end({ timeout: 5 });
      await database.drop();
      await log.close();
    },
  };
};
