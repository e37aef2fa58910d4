/** Projects the log once more from its beginning, into a schema of its own. */
import { DomainError } from "#contracts/errors";
import { lastSequence, openCommitFeed } from "#event-store/commit-feed";
import type { EventStore } from "#event-store/event-store";
import type { Sql } from "postgres";
import { openDatabase, schemaName } from "./database.ts";
import { readModels } from "./read-models.ts";
import { modelsOf, openCheckpoint } from "./runtime/checkpoint.ts";
import { prepareReadModels } from "./runtime/prepare.ts";
import { planBatch, readBatch, writeBatch } from "./runtime/project-batch.ts";

export interface ReplayOptions {
  readonly store: EventStore;
  readonly databaseUrl: string;
  /** A schema that does not exist yet. */
  readonly schema: string;
}

/**
 * Builds all read models anew in a fresh schema, up to the end that the log has now. Answers how many
 * commits that were. A replay that fails removes its schema.
 *
 * @throws DomainError `configuration_invalid` if the schema exists; what the log or Postgres throw
 */
export const replayInto = async ({
  store,
  databaseUrl,
  schema,
}: ReplayOptions): Promise<{ commits: number }> => {
  const open = (): Sql => openDatabase({ url: databaseUrl, schema, maxConnections: 1 });
  await withDatabase(open(), (sql) => createFreshSchema(sql, schema));
  try {
    return await withDatabase(open(), async (sql) => {
      await prepareReadModels(sql, readModels);
      let commits = 0;
      for (let shard = 0; shard < store.shards; shard += 1) {
        commits += await replayShard(store, sql, shard);
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

const replayShard = async (store: EventStore, sql: Sql, shard: number): Promise<number> => {
  const end = await lastSequence(store, shard);
  const { generation, ...opened } = await openCheckpoint(sql, shard, modelsOf(readModels));
  let { checkpoint } = opened;
  if (end === 0) return 0;
  const stopping = new AbortController();
  try {
    const feed = openCommitFeed(store, { shard, after: 0, signal: stopping.signal, maxBatch: 500 });
    for await (const batch of feed) {
      const wanted = batch.filter(({ sequence }) => sequence <= end);
      const { commits, problem } = readBatch(wanted, checkpoint);
      if (problem !== null) throw problem;
      const target = { sql, projections: readModels, shard, generation };
      await writeBatch(target, await planBatch(target, checkpoint, commits));
      checkpoint += commits.length;
      if (checkpoint >= end) return checkpoint;
    }
    throw new DomainError("log_unavailable", "The feed of the log ended before the log did.", {
      fields: { shard, checkpoint, end },
    });
  } finally {
    stopping.abort();
  }
};
