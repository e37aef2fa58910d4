/** What the commands of the operator's CLI work on: the servers of a data folder, or those given. */
import { connectToNats } from "#event-store/connection";
import { openAsFound } from "#event-store/audit/open-as-found";
import type { EventStore } from "#event-store/event-store";
import { openDatabase } from "#projections/database";
import type { Sql } from "postgres";
import type { Config } from "../config.ts";
import { findServers } from "../running-servers.ts";

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

/**
 * Works on the log as it is, whatever the settings say that it should be, and closes the connection
 * whatever happens. Only `streams apply` changes streams.
 */
export const withLog = async <T>(
  context: CliContext,
  work: (store: EventStore) => Promise<T>,
): Promise<T> => {
  const natsUrl = await natsUrlOf(context);
  const connection = await connectToNats({ url: natsUrl, name: "cli" });
  try {
    return await work(await openAsFound(connection));
  } finally {
    await connection.close();
  }
};

/** Works on the log and the read models. */
export const withLogAndDatabase = async <T>(
  context: CliContext,
  work: (servers: {
    readonly store: EventStore;
    readonly sql: Sql;
    readonly databaseUrl: string;
  }) => Promise<T>,
): Promise<T> => {
  const { databaseUrl } = await serversOf(context);
  const sql = openDatabase({ url: databaseUrl, maxConnections: 2 });
  try {
    return await withLog(context, (store) => work({ store, sql, databaseUrl }));
  } finally {
    await sql.end({ timeout: 5 });
  }
};
