import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

/** Deletes every stream that the user of a URL can see. */
export const deleteStreams = async (url: string): Promise<void> => {
  const servers = url.split(",").map((server) => new URL(server));
  const connection = await connect({
    servers: servers.map(({ host }) => host),
    user: servers[0]?.username ?? "",
    pass: servers[0]?.password ?? "",
  });
  try {
    const manager = await jetstreamManager(connection);
    const names: string[] = [];
    for await (const name of manager.streams.names()) names.push(name);
    await Promise.all(names.map((name) => manager.streams.delete(name)));
  } finally {
    await connection.close();
  }
};
