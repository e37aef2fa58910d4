/**
 * Brings the tables of the read models into being. A read model has no migrations: the log is the truth,
 * so a new version is a new `schema.sql`, and new tables are built from the log beside the old ones.
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
}

interface ModelSchema {
  readonly projection: Projection;
  readonly statements: string;
  readonly checksum: string;
}

/** What was found or done; both name read models. */
export interface Preparation {
  /** Their tables were made just now, and are empty. */
  readonly created: readonly string[];
  /** Their tables are those of an older version, which serve on until new ones are built (`rebuild.ts`). */
  readonly outdated: readonly string[];
}

/** What Postgres says when another process has built the tables in the meantime. */
const builtMeanwhile = "40001";

/**
 * Creates the tables of those of these read models that have none in the schema of the connection; safe
 * when many processes start together. Tables of an older version are left as they are.
 *
 * @throws DomainError `configuration_invalid` if tables belong to a newer program, or a `schema.sql` has
 * changed without a new version
 */
export const prepareReadModels = async (
  sql: Sql,
  projections: readonly Projection[],
): Promise<Preparation> => {
  const models = await Promise.all(projections.map(readSchema));
  const runtime = await readFile(new URL("./schema.sql", import.meta.url), "utf8");
  await sql.unsafe(`${lockOf(null)}; ${runtime}`).simple();
  for (;;) {
    const known = await sql<KnownModel[]>`
      select name, version, checksum from projection_models`;
    const { missing, outdated } = compare(models, known);
    const created = missing.map(({ projection }) => projection.name);
    if (missing.length === 0) return { created, outdated };
    try {
      await sql.unsafe(buildScript(missing)).simple();
      return { created, outdated };
    } catch (error) {
      if (!(error instanceof postgres.PostgresError) || error.code !== builtMeanwhile) throw error;
    }
  }
};

/**
 * Taken by whoever changes the tables of a schema, by default the connection's own; held to the end of the
 * script it begins, all of which is one transaction.
 */
export const lockOf = (schema: string | null): string =>
  `select pg_advisory_xact_lock(hashtext('read models of ' || ${schema === null ? "current_schema()" : `'${schema}'`}))`;

const readSchema = async (projection: Projection): Promise<ModelSchema> => {
  const statements = await readFile(projection.schema, "utf8");
  return {
    projection,
    statements,
    checksum: createHash("sha256").update(statements).digest("hex"),
  };
};

const compare = (
  models: readonly ModelSchema[],
  known: readonly KnownModel[],
): { readonly missing: readonly ModelSchema[]; readonly outdated: readonly string[] } => {
  const there = new Map(known.map((model) => [model.name, model]));
  const outdated = models.filter(({ projection: { name, version }, checksum }) => {
    const found = there.get(name);
    if (found === undefined) return false;
    if (found.version > version) {
      throw new DomainError(
        "configuration_invalid",
        `The read model "${name}" was built by a newer version of this program.`,
        { fields: { found: found.version, known: version } },
      );
    }
    if (found.version === version && found.checksum !== checksum) {
      throw new DomainError(
        "configuration_invalid",
        `The tables of the read model "${name}" have changed: raise its version.`,
      );
    }
    return found.version < version;
  });
  return {
    missing: models.filter(({ projection }) => !there.has(projection.name)),
    outdated: outdated.map(({ projection }) => projection.name),
  };
};

/**
 * One script, which Postgres runs as one transaction. Names and versions come from this program, not from
 * users.
 */
const buildScript = (models: readonly ModelSchema[]): string =>
  [
    lockOf(null),
    `do $$ begin
      if exists (select from projection_models where name in (${namesOf(models)})) then
        raise exception 'built meanwhile' using errcode = '${builtMeanwhile}';
      end if;
    end $$`,
    ...models.map(({ statements }) => statements),
    ...models.map(
      ({ projection: { name, version, tables }, checksum }) =>
        `insert into projection_models (name, version, checksum, tables)
        values ('${name}', ${version}, '${checksum}', '{${tables.map((table) => table.name).join()}}')`,
    ),
  ].join(";\n");

const namesOf = (models: readonly ModelSchema[]): string =>
  models.map(({ projection }) => `'${projection.name}'`).join();
