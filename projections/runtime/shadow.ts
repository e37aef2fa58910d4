/** The schema in which the read models are built anew while the old ones serve. */
import { DomainError } from "#contracts/errors";
import postgres, { type Sql } from "postgres";
import { schemaName } from "../database.ts";
import { progressChannel } from "./checkpoint.ts";
import { lockOf, prepareReadModels } from "./prepare.ts";
import type { Projection } from "./projection.ts";

/** The name of the shadow of a schema. */
export const shadowOf = (schema: string): string => schemaName(`${schema}_next`);

/** How long the swap waits for readers that are at work, while newer ones wait behind it. */
const lockTimeoutMs = 300;

/** What Postgres says when the shadow is not as far as the live tables, or a reader takes too long. */
const comesAgain = ["40001", "40P01", "55P03"];

/** Removes the shadow with everything in it. */
export const dropShadow = async (sql: Sql, schema: string): Promise<void> => {
  await sql
    .unsafe(`${lockOf(schema)}; drop schema if exists "${shadowOf(schema)}" cascade`)
    .simple();
};

/**
 * Creates the shadow and its tables, or finds those that were begun by the same read models before.
 *
 * @throws DomainError `configuration_invalid` if a newer program builds there, or `openShadow` opens
 * another schema than it is asked for
 */
export const prepareShadow = async (
  { sql, schema }: { readonly sql: Sql; readonly schema: string },
  openShadow: () => Sql,
  projections: readonly Projection[],
): Promise<void> => {
  const shadow = shadowOf(schema);
  for (;;) {
    await sql.unsafe(`${lockOf(schema)}; create schema if not exists "${shadow}"`).simple();
    const pool = openShadow();
    try {
      const [there] = await pool<{ schema: string }[]>`select current_schema() as schema`;
      if (there?.schema !== shadow) {
        throw new DomainError("configuration_invalid", "The pool is not of the schema asked for.", {
          fields: { asked: shadow, found: there?.schema ?? null },
        });
      }
      if ((await prepareReadModels(pool, projections)) !== "outdated") return;
    } finally {
      await pool.end({ timeout: 5 });
    }
    await dropShadow(sql, schema);
  }
};

export interface SwapOptions {
  /** The live schema. */
  readonly schema: string;
  /** See `modelsOf`. */
  readonly models: string;
  readonly shards: number;
}

/**
 * Puts the tables of the shadow in the place of the live ones, in one statement. Answers false, having
 * changed nothing, if the shadow lacks a shard or is behind the live tables in one, or if a reader is in
 * the way for long. Whoever projects finds another checkpoint table afterwards.
 */
export const swapShadow = async (
  sql: Sql,
  { schema, models, shards }: SwapOptions,
): Promise<boolean> => {
  const shadow = shadowOf(schema);
  try {
    await sql.unsafe(swapScript(schemaName(schema), shadow, { models, shards })).simple();
    return true;
  } catch (error) {
    if (error instanceof postgres.PostgresError && comesAgain.includes(error.code)) return false;
    throw error;
  }
};

// All names come from this program, not from users.
const swapScript = (
  live: string,
  shadow: string,
  { models, shards }: { readonly models: string; readonly shards: number },
): string => `
  do $$
  declare
    name text;
    built text[];
  begin
    perform set_config('lock_timeout', '${lockTimeoutMs}ms', true);
    perform pg_advisory_xact_lock(hashtext('read models of ${live}'));
    lock table "${live}".projection_checkpoints in access exclusive mode;
    if (select count(*) from "${shadow}".projection_checkpoints where models = '${models}') < ${shards}
      or exists (
        select from "${live}".projection_checkpoints old
        left join "${shadow}".projection_checkpoints new using (shard)
        where old.checkpoint > coalesce(new.checkpoint, -1))
    then
      raise exception 'the shadow is behind' using errcode = '40001';
    end if;
    for name in select unnest(tables) from "${live}".projection_models loop
      execute format('drop table if exists %I.%I', '${live}', name);
    end loop;
    drop table "${live}".projection_models, "${live}".projection_checkpoints;
    -- what the projectors have reported stays
    drop table "${shadow}".projection_conditions;
    select array_agg(tablename) into built from pg_tables where schemaname = '${shadow}';
    foreach name in array built loop
      execute format('alter table %I.%I set schema %I', '${shadow}', name, '${live}');
    end loop;
    drop schema "${shadow}";
    perform pg_notify('${progressChannel}', '${live}/' || shard || ':' || checkpoint)
      from "${live}".projection_checkpoints;
  end $$`;
