/** The schema in which read models are built anew while the old ones serve; it stays when they have moved. */
import { DomainError } from "#contracts/errors";
import postgres, { type Sql } from "postgres";
import { schemaName } from "../database.ts";
import { progressChannel } from "./announcement.ts";
import { lockOf, prepareReadModels } from "./prepare.ts";
import type { Projection } from "./projection.ts";

/** The name of the shadow of a schema. */
export const shadowOf = (schema: string): string => schemaName(`${schema}_next`);

/** How long the swap waits for readers that are at work, while newer ones wait behind it. */
const lockTimeoutMs = 300;

/** What Postgres says when the shadow is not as far as the live tables, or a reader takes too long. */
const comesAgain = ["40001", "40P01", "55P03"];

/** What the swap says of tables that are not this program's; "object not in prerequisite state". */
const builtByAnother = "55000";

/** Removes from the shadow what was built of these read models. */
export const dropFromShadow = async (
  sql: Sql,
  schema: string,
  models: readonly string[],
): Promise<void> => {
  const shadow = shadowOf(schema);
  await sql.unsafe(`${lockOf(schema)}; ${dropScript(shadow, models)}`).simple();
};

// All names come from this program, not from users.
const dropScript = (shadow: string, models: readonly string[]): string => `
  do $$
  declare
    gone text[] := '{${models.join()}}';
    name text;
  begin
    if to_regclass('"${shadow}".projection_models') is null then
      return;
    end if;
    for name in
      select unnest(tables) from "${shadow}".projection_models m where m.name = any(gone)
    loop
      execute format('drop table if exists %I.%I', '${shadow}', name);
    end loop;
    delete from "${shadow}".projection_models m where m.name = any(gone);
    delete from "${shadow}".projection_progress where model = any(gone);
    delete from "${shadow}".projection_reports where model = any(gone);
  end $$`;

/**
 * Creates the shadow and the tables of these read models, or finds those that were begun by the same ones
 * before.
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
      const { outdated } = await prepareReadModels(pool, projections);
      if (outdated.length === 0) return;
      await dropFromShadow(sql, schema, outdated);
    } finally {
      await pool.end({ timeout: 5 });
    }
  }
};

export interface SwapOptions {
  /** The live schema. */
  readonly schema: string;
  readonly model: Pick<Projection, "name" | "version">;
  readonly shards: number;
}

/**
 * Puts a read model's tables of the shadow in the place of the live ones, in one statement. Answers `done`
 * also if somebody else has, and `not yet`, having changed nothing, if the shadow lacks a shard or is behind
 * the live tables in one, or if a reader is in the way for long. Whoever projects finds another build
 * afterwards.
 *
 * @throws DomainError `configuration_invalid` if the tables on either side are those of another version
 */
export const swapShadow = async (
  sql: Sql,
  { schema, model, shards }: SwapOptions,
): Promise<"done" | "not yet"> => {
  const shadow = shadowOf(schema);
  try {
    await sql.unsafe(swapScript(schemaName(schema), shadow, { model, shards })).simple();
    return "done";
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    if (comesAgain.includes(error.code)) return "not yet";
    if (error.code !== builtByAnother) throw error;
    throw new DomainError("configuration_invalid", error.message, { cause: error });
  }
};

// All names come from this program, not from users.
const swapScript = (
  live: string,
  shadow: string,
  { model: { name, version }, shards }: Pick<SwapOptions, "model" | "shards">,
): string => `
  do $$
  declare
    moved text;
  begin
    perform set_config('lock_timeout', '${lockTimeoutMs}ms', true);
    perform pg_advisory_xact_lock(hashtext('read models of ${live}'));
    if to_regclass('"${shadow}".projection_models') is null
      or not exists (select from "${shadow}".projection_models m where m.name = '${name}')
    then
      return; -- another builder was faster
    end if;
    lock table "${live}".projection_progress, "${shadow}".projection_progress in access exclusive mode;
    if exists (select from "${live}".projection_models m
        where m.name = '${name}' and m.version > ${version})
      or (select m.version from "${shadow}".projection_models m where m.name = '${name}') <> ${version}
    then
      raise exception 'the read model "${name}" was built by another version of this program'
        using errcode = '${builtByAnother}';
    end if;
    if (select count(*) from "${shadow}".projection_progress where model = '${name}') < ${shards}
      or exists (
        select from "${live}".projection_progress old
        left join "${shadow}".projection_progress new using (model, shard)
        where model = '${name}' and old.checkpoint > coalesce(new.checkpoint, -1))
    then
      raise exception 'the shadow is behind' using errcode = '40001';
    end if;
    for moved in
      select unnest(tables) from "${live}".projection_models m where m.name = '${name}'
    loop
      execute format('drop table if exists %I.%I', '${live}', moved);
    end loop;
    for moved in
      select unnest(tables) from "${shadow}".projection_models m where m.name = '${name}'
    loop
      execute format('alter table %I.%I set schema %I', '${shadow}', moved, '${live}');
    end loop;
    delete from "${live}".projection_models m where m.name = '${name}';
    insert into "${live}".projection_models
      select * from "${shadow}".projection_models m where m.name = '${name}';
    delete from "${live}".projection_progress where model = '${name}';
    insert into "${live}".projection_progress
      select * from "${shadow}".projection_progress where model = '${name}';
    delete from "${shadow}".projection_models m where m.name = '${name}';
    delete from "${shadow}".projection_progress where model = '${name}';
    delete from "${shadow}".projection_reports where model = '${name}';
    perform pg_notify('${progressChannel}',
        json_build_object('schema', '${live}', 'shard', shard, 'checkpoint', checkpoint,
          'models', array['${name}'])::text)
      from "${live}".projection_progress where model = '${name}';
  end $$`;
