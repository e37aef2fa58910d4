/** Projects the log once more from its beginning, into a schema of its own. */
import { DomainError } from "#contracts/errors";
import { lastSequence } from "#event-store/reading/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { Sql } from "postgres";
import { openDatabase, schemaName } from "./database.ts";
import { readModels } from "./read-models.ts";
import { openCheckpoints } from "./runtime/checkpoint.ts";
import { followLog } from "./runtime/follow-log.ts";
import { prepareReadModels } from "./runtime/prepare.ts";
import type { Projection } from "./runtime/projection.ts";

export interface ReplayOptions {
  readonly store: EventStore;
  readonly databaseUrl: string;
  /** A schema that does not exist yet. */
  readonly schema: string;
  /** The read models to build; all unless told. */
  readonly projections?: readonly Projection[];
}

/**
 * Builds read models anew in a fresh schema, up to the end that the log has now. Answers how many
 * commits that were. A replay that fails removes its schema.
 *
 * @throws DomainError `configuration_invalid` if the schema exists; what the log or Postgres throw
 */
export const replayInto = async ({
  store,
  databaseUrl,
  schema,
  projections = readModels,
}: ReplayOptions): Promise<{ commits: number }> => {
  const open = (): Sql => openDatabase({ url: databaseUrl, schema, maxConnections: 1 });
  await withDatabase(open(), (sql) => createFreshSchema(sql, schema));
  try {
    return await withDatabase(open(), async (sql) => {
      await prepareReadModels(sql, projections);
      let commits = 0;
      for (let shard = 0; shard < store.shards; shard += 1) {
        commits += await replayShard(store, sql, { shard, projections });
      }
      return { commits };
    });
  } catch (error) {
    await withDatabase(open(), (sql) => dropReplay(sql, schema));
    throw error;
  }
};

const withDatabase = async <Result>(
  sql: Sql,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> => {
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
};

const createFreshSchema = async (sql: Sql, schema: string): Promise<void> => {
  const [there] = await sql`select 1 from pg_namespace where nspname = ${schema}`;
  if (there !== undefined) {
    throw new DomainError("configuration_invalid", `The schema "${schema}" exists already.`);
  }
  await sql`create schema ${sql(schemaName(schema))}`;
};

/** Removes the schema of a replay with everything in it. */
export const dropReplay = async (sql: Sql, schema: string): Promise<void> => {
  await sql`drop schema if exists ${sql(schemaName(schema))} cascade`;
};

const replayShard = async (
  store: EventStore,
  sql: Sql,
  { shard, projections }: { readonly shard: number; readonly projections: readonly Projection[] },
): Promise<number> => {
  const end = await lastSequence(store, shard);
  const opened = await openCheckpoints(sql, shard, projections);
  const models = projections.map((projection) => {
    const { build } = opened.find(({ model }) => model === projection.name) ?? { build: "" };
    return { projection, build };
  });
  await followLog(store, {
    target: { sql, shard, models },
    from: 0,
    until: end,
    maxBatch: 500,
    signal: new AbortController().signal,
    projected: () => undefined,
  });
  return end;
};
