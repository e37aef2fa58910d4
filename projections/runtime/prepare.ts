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

/**
 * How the tables are: as they should be; made just now; or those of an older version, which serve on until
 * somebody has built new ones (`rebuild.ts`).
 */
export type Preparation = "unchanged" | "created" | "outdated";

/** What Postgres says when another process has built the tables in the meantime. */
const builtMeanwhile = "40001";

/**
 * Creates the tables of these read models in the schema of the connection, once; safe when many processes
 * start together. Tables of an older version are left as they are.
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
  await sql.unsafe(`${lockOf(null)}; ${runtime}`).simple();
  for (;;) {
    const known = await sql<KnownModel[]>`
      select name, version, checksum from projection_models`;
    const preparation = preparationOf(models, known);
    if (preparation !== "created") return preparation;
    try {
      await sql.unsafe(buildScript(models)).simple();
      return preparation;
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
  return known.length === 0 ? "created" : "outdated";
};

/**
 * One script, which Postgres runs as one transaction. Names and versions come from this program, not from
 * users.
 */
const buildScript = (models: readonly ModelSchema[]): string =>
  [
    lockOf(null),
    `do $$ begin
      if exists (select from projection_models) then
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
