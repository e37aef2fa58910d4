import { join } from "node:path";

/** Everything that a node of a cluster is told. */
export interface NodeSettings {
  readonly name: string;
  readonly clusterName: string;
  /** The node's own folder: config, log, streams. */
  readonly dataDir: string;
  readonly syncInterval: "always" | "2m";
  /** Where it serves clients and monitoring. */
  readonly clientHost: string;
  readonly clientPort: number;
  readonly monitorPort: number;
  /** Where it listens for the other nodes, as `host:port`. */
  readonly route: string;
  /** Of all nodes; its own may be among them. */
  readonly routes: readonly string[];
  /** Accounts with streams of their own; their users have their name and password. None: all share one. */
  readonly accounts: readonly string[];
}

/** The store folder as the server names it in `/varz`, without the part that it adds itself. */
export const storeDirOf = ({ dataDir }: NodeSettings): string => join(dataDir, "store");

/** The node's configuration file. */
export const renderNodeConfig = (settings: NodeSettings): string => {
  const routes = settings.routes.map((route) => `"nats://${route}"`);
  return [
    `server_name: ${JSON.stringify(settings.name)}`,
    `listen: "${settings.clientHost}:${String(settings.clientPort)}"`,
    `http: "${settings.clientHost}:${String(settings.monitorPort)}"`,
    "max_payload: 2MB",
    // The shortest that the server takes: clients leave within this time after a lame duck signal.
    'lame_duck_grace_period: "1s"',
    'lame_duck_duration: "30s"',
    "jetstream {",
    `  store_dir: ${JSON.stringify(storeDirOf(settings))}`,
    `  sync_interval: ${settings.syncInterval}`,
    "}",
    "cluster {",
    `  name: ${JSON.stringify(settings.clusterName)}`,
    `  listen: "${settings.route}"`,
    `  routes: [${routes.join(", ")}]`,
    // Clients are given all nodes, and one that goes through a proxy is not to go around it.
    "  no_advertise: true",
    "}",
    ...accountsSection(settings.accounts),
    "",
  ].join("\n");
};

const accountsSection = (accounts: readonly string[]): readonly string[] =>
  accounts.length === 0
    ? []
    : [
        "accounts {",
        ...accounts.map(
          (name) =>
            `  ${name}: { jetstream: enabled, users: [{ user: ${name}, password: ${name} }] }`,
        ),
        "}",
      ];
