/** What the commands of the operator's CLI work on: the servers of a data folder, or those given. */
import { connectToNats } from "#event-store/connection";
import { type EventStore, openEventStore } from "#event-store/event-store";
import { openDatabase } from "#projections/database";
import type { NatsConnection } from "@nats-io/transport-node";
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

type OpenLog = (connection: NatsConnection, config: Config) => Promise<EventStore>;

/** Brings the streams up to date with the settings first. */
const openAsSet: OpenLog = (connection, { EVENT_SHARDS: shards, DURABILITY: durability }) =>
  openEventStore({ connection, shards, durability });

/** Works on the log, and closes the connection whatever happens. */
export const withLog = async <T>(
  context: CliContext,
  work: (store: EventStore) => Promise<T>,
  open = openAsSet,
): Promise<T> => {
  const natsUrl = await natsUrlOf(context);
  const connection = await connectToNats({ url: natsUrl, name: "cli" });
  try {
    return await work(await open(connection, context.config));
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
  open = openAsSet,
): Promise<T> => {
  const { databaseUrl } = await serversOf(context);
  const sql = openDatabase({ url: databaseUrl, maxConnections: 2 });
  try {
    return await withLog(context, (store) => work({ store, sql, databaseUrl }), open);
  } finally {
    await sql.end({ timeout: 5 });
  }
};
