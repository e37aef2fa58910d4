/** Connections to Postgres. Everything that speaks SQL gets its connection from here. */
import { DomainError } from "#contracts/errors";
import postgres, { type ISql, type Sql } from "postgres";

/** Something that queries can be sent to: the connection pool, or one transaction. */
export type Queryable = ISql;

export interface DatabaseOptions {
  readonly url: string;
  /** The schema whose tables are meant by a bare name; `public` unless told. */
  readonly schema?: string;
  /** How many connections are opened at most, besides one for LISTEN. */
  readonly maxConnections?: number;
}

/** How long one statement may take, in milliseconds, before the server gives it up. */
const statementTimeoutMs = 60_000;

/** Checks the name of a schema. Throws `configuration_invalid`. */
export const schemaName = (name: string): string => {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    throw new DomainError("configuration_invalid", `"${name}" is not a usable schema name.`);
  }
  return name;
};

/**
 * Opens a pool of connections, which connect when the first query comes. Close it with
 * `sql.end({ timeout: 5 })`: without a limit it waits for ever when a connection was lost (postgres.js
 * 3.4). Times are in UTC, and answered as `Date`.
 */
export const openDatabase = ({ url, schema, maxConnections = 10 }: DatabaseOptions): Sql =>
  postgres(url, {
    max: maxConnections,
    // "relation exists already, skipping" and the like: nothing that anybody could act upon
    onnotice: () => undefined,
    connection: {
      application_name: "proliferate",
      TimeZone: "UTC",
      statement_timeout: statementTimeoutMs,
      ...(schema === undefined ? {} : { search_path: schemaName(schema) }),
    },
  });
