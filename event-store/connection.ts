import { connect, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";

export interface ConnectOptions {
  /**
   * `nats://host:port`, several separated by commas. A token stands before the host (`nats://token@…`),
   * or a user and a password (`nats://user:password@…`); the first of several counts.
   */
  readonly url: string;
  /** Shown in the server's list of connections: the role and instance. */
  readonly name: string;
}

/**
 * Connects to NATS and keeps reconnecting for ever: a server that comes back is used again, and until
 * then every call fails with its own timeout.
 */
export const connectToNats = ({ url, name }: ConnectOptions): Promise<NatsConnection> => {
  const servers = url.split(",").map((server) => new URL(server));
  return connect({
    servers: servers.map(({ host }) => host),
    ...credentialsIn(servers),
    name,
    // Otherwise the client makes two errors with their stacks for each request, in case it fails: a
    // fifth of the time of an append. What fails is named by our own errors.
    noAsyncTraces: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 10_000,
    maxPingOut: 3,
  });
};

const credentialsIn = (
  servers: readonly URL[],
): Pick<ConnectionOptions, "token" | "user" | "pass"> => {
  const found = servers.find(({ username }) => username !== "");
  if (found === undefined) {
    return {};
  }
  const user = decodeURIComponent(found.username);
  const pass = decodeURIComponent(found.password);
  return pass === "" ? { token: user } : { user, pass };
};
