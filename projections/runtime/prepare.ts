/**
 * Brings the tables of the read models into being. A read model has no migrations: the log is the truth,
 * so a new version is a new `schema.sql`, and the tables are dropped and built again from the log.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { DomainError } from "#contracts/errors";
import postgres, { type Sql } from "postgres";
import type { Projection } from "./projection.ts";

interface KnownModel {
  readonly name: string;
  readonly version: number;
  readonly checksum: string;
  readonly tables: string[];
}

interface ModelSchema {
  readonly projection: Projection;
  readonly statements: string;
  readonly checksum: string;
}

/** What had to be done: nothing, build the tables for the first time, or build them anew. */
export type Preparation = "unchanged" | "created" | "rebuilt";

/** What Postgres says when another process has built the tables in the meantime. */
const builtMeanwhile = "40001";

/**
 * Creates the tables of these read models in the schema of the connection, once; safe when many processes
 * start together. Tables of an older version are replaced by empty ones, and the checkpoints start over.
 *
 * @throws DomainError `configuration_invalid` if the tables belong to a newer program, or a `schema.sql`
 * has changed without a new version
 */
export const prepareReadModels = async (
  sql: Sql,
  projections: readonly Projection[],
): Promise<Preparation> => {
  const models = await Promise.all(projections.map(readSchema));
  const runtime = await readFile(new URL("./schema.sql", import.meta.url), "utf8");
  await sql.unsafe(`${lock}; ${runtime}`).simple();
  for (;;) {
    const known = await sql<KnownModel[]>`
      select name, version, checksum, tables from projection_models order by name collate "C"`;
    const preparation = preparationOf(models, known);
    if (preparation === "unchanged") return preparation;
    try {
      await sql.unsafe(buildScript(models, known)).simple();
      return preparation;
    } catch (error) {
      if (!(error instanceof postgres.PostgresError) || error.code !== builtMeanwhile) throw error;
    }
  }
};

/** Held to the end of the script it begins, all of which is one transaction. */
const lock = "select pg_advisory_xact_lock(hashtext('read models of ' || current_schema()))";

const readSchema = async (projection: Projection): Promise<ModelSchema> => {
  const statements = await readFile(projection.schema, "utf8");
  return {
    projection,
    statements,
    checksum: createHash("sha256").update(statements).digest("hex"),
  };
};

const preparationOf = (
  models: readonly ModelSchema[],
  known: readonly KnownModel[],
): Preparation => {
  const stale = models.filter(({ projection, checksum }) => {
    const there = known.find(({ name }) => name === projection.name);
    if (there === undefined || there.version < projection.version) return true;
    if (there.version > projection.version) {
      throw new DomainError(
        "configuration_invalid",
        `The read model "${projection.name}" was built by a newer version of this program.`,
        { fields: { found: there.version, known: projection.version } },
      );
    }
    if (there.checksum !== checksum) {
      throw new DomainError(
        "configuration_invalid",
        `The tables of the read model "${projection.name}" have changed: raise its version.`,
      );
    }
    return false;
  });
  if (stale.length === 0) return "unchanged";
  return known.length === 0 ? "created" : "rebuilt";
};

/**
 * One script, which Postgres runs as one transaction. All read models share the checkpoints, so one that
 * is new or changed takes the others with it. Names and versions come from this program, not from users.
 */
const buildScript = (models: readonly ModelSchema[], known: readonly KnownModel[]): string => {
  const names = models.map(({ projection }) => projection.name);
  const found = known.map(({ name, version }) => `${name}@${version}`).join(",");
  const obsolete = known.filter(({ name }) => names.includes(name)).flatMap(({ tables }) => tables);
  return [
    lock,
    `do $$ begin
      if (select coalesce(string_agg(name || '@' || version, ',' order by name collate "C"), '')
          from projection_models) <> '${found}' then
        raise exception 'built meanwhile' using errcode = '${builtMeanwhile}';
      end if;
    end $$`,
    "set local statement_timeout = 0",
    ...obsolete.map((table) => `drop table if exists "${table}"`),
    "delete from projection_checkpoints",
    ...models.map(({ statements }) => statements),
    ...models.map(
      ({ projection: { name, version, tables }, checksum }) =>
        `insert into projection_models (name, version, checksum, tables)
        values ('${name}', ${version}, '${checksum}', '{${tables.map((table) => table.name).join()}}')
        on conflict (name) do update set
          version = excluded.version, checksum = excluded.checksum, tables = excluded.tables`,
    ),
  ].join(";\n");
};
