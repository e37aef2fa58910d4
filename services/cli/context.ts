/** What the commands of the operator's CLI work on: the servers of a data folder, or those given. */
import { DomainError } from "#contracts/errors";
import { connectToNats } from "#event-store/connection";
import { openAsFound } from "#event-store/audit/open-as-found";
import type { EventStore } from "#event-store/event-store";
import { openDatabase } from "#projections/database";
import type { Sql } from "postgres";
import type { Config } from "../config.ts";
import { findServers } from "../running-servers.ts";
import { findSecretsKey } from "../secrets-key.ts";
import { type DataKeyVault, openDataKeys } from "../secrets/data-keys.ts";
import { deriveKeys, type Keys } from "../secrets/keys.ts";

export interface CliContext {
  readonly config: Config;
  readonly print: (line: string) => void;
}

const serversOf = async ({
  config,
}: CliContext): Promise<{ readonly natsUrl: string; readonly databaseUrl: string }> =>
  config.NATS_URL !== undefined && config.DATABASE_URL !== undefined
    ? { natsUrl: config.NATS_URL, databaseUrl: config.DATABASE_URL }
    : findServers(config.DATA_DIR);

/** Where the log listens. */
export const natsUrlOf = async (context: CliContext): Promise<string> =>
  (await serversOf(context)).natsUrl;

/** What commands work on. */
export interface Servers {
  readonly store: EventStore;
  readonly sql: Sql;
  readonly databaseUrl: string;
  /** The keys of the log's text; null where SECRETS_KEY is not known, and the text stays sealed. */
  readonly vault: DataKeyVault | null;
}

/**
 * Works on the log as it is, whatever the settings say that it should be, and closes the connections
 * whatever happens. Only `streams apply` changes streams. The database is asked for nothing but what the
 * work needs.
 */
export const withLogAndDatabase = async <T>(
  context: CliContext,
  work: (servers: Servers) => Promise<T>,
): Promise<T> => {
  const { natsUrl, databaseUrl } = await serversOf(context);
  const sql = openDatabase({ url: databaseUrl, maxConnections: 2 });
  try {
    const vault = await vaultOf(context, sql);
    const connection = await connectToNats({ url: natsUrl, name: "cli" });
    try {
      return await work({ store: await openAsFound(connection, vault), sql, databaseUrl, vault });
    } finally {
      await connection.close();
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
};

const vaultOf = async (context: CliContext, sql: Sql): Promise<DataKeyVault | null> => {
  const keys = await keysOf(context);
  return keys && openDataKeys({ sql, wrappingKey: keys.dataKeyWrapping });
};

/** The control plane's keys; null where SECRETS_KEY is not known. */
const keysOf = async ({ config }: CliContext): Promise<Keys | null> => {
  const secretsKey = config.SECRETS_KEY ?? (await findSecretsKey(config.DATA_DIR));
  return secretsKey === null ? null : deriveKeys(secretsKey);
};

/** @throws DomainError `configuration_invalid` where SECRETS_KEY is not known */
export const requireKeys = async (context: CliContext): Promise<Keys> => {
  const keys = await keysOf(context);
  if (!keys) throw new DomainError("configuration_invalid", "SECRETS_KEY is not known.");
  return keys;
};

/** Works on the log only. */
export const withLog = <T>(
  context: CliContext,
  work: (store: EventStore) => Promise<T>,
): Promise<T> => withLogAndDatabase(context, ({ store }) => work(store));
