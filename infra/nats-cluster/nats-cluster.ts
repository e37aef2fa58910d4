import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { DomainError } from "#contracts/errors";
import { lockFolder } from "../process/folder-lock.ts";
import { waitFor } from "../process/wait-for.ts";
import { clusterNode, type ClusterNode } from "./cluster-node.ts";
import { freePorts } from "./free-ports.ts";
import { loopback, type NodePlace } from "./node-place.ts";

const nodeNames = ["n1", "n2", "n3"] as const;
const startAttempts = 3;
const healthyTimeoutMs = 60_000;

export interface StartNatsClusterOptions {
  /** Each node has a folder of its own below it. */
  readonly dataDir: string;
  /** Path of a `nats-server`, see `findNatsServer`. */
  readonly binary: string;
  /** `always` is what the durability `replicated` asks for. */
  readonly syncInterval: "always" | "2m";
  /** For tests: accounts with streams of their own; each has a user of its name and password. */
  readonly accounts?: readonly string[];
  /** Where each of the three is to be; on 127.0.0.1 when left out. */
  readonly places?: readonly NodePlace[];
  /** For tests: the servers also end when this process is killed. */
  readonly endsWithParent?: boolean;
}

/** Three servers of this machine that stand for three machines. */
export interface NatsCluster extends AsyncDisposable {
  /** Of all nodes, separated by commas: what clients connect to. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** The node of that name. Throws for a name that is none of the cluster's. */
  node(name: string): ClusterNode;
  /**
   * Resolves when every node says that it is in step with the others.
   *
   * @throws DomainError `prerequisite_missing` when they are not within a minute
   */
  whenHealthy(): Promise<void>;
  /** Ends all nodes and gives the folder free. Fine to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster of three `nats-server` processes with JetStream on this machine, and resolves when
 * they are in step. Their ports are chosen anew for each cluster.
 *
 * @throws DomainError `configuration_invalid` if a living process uses the folder,
 *   `prerequisite_missing` if a server does not come up
 */
export const startNatsCluster = async (options: StartNatsClusterOptions): Promise<NatsCluster> => {
  const lock = await lockFolder(resolve(options.dataDir));
  let nodes: readonly ClusterNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    await lock.release();
  };
  try {
    for (let attempt = 1; ; attempt += 1) {
      nodes = await newNodes(options);
      const outcomes = await Promise.allSettled(nodes.map((node) => node.start()));
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed === undefined) break;
      await Promise.all(nodes.map((node) => node.stop()));
      // Somebody else may have taken a port between probing and listening.
      if (attempt === startAttempts) throw failed.reason;
    }
    await whenHealthy(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: nodes.map(({ url }) => url).join(","),
    nodes,
    node: (name) => {
      const found = nodes.find((node) => node.name === name);
      if (found === undefined) throw new Error(`There is no node ${name}.`);
      return found;
    },
    whenHealthy: () => whenHealthy(nodes),
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

const newNodes = async (options: StartNatsClusterOptions): Promise<readonly ClusterNode[]> => {
  const { length } = nodeNames;
  const ports = await freePorts(3 * length);
  const placeOf = (index: number): NodePlace => options.places?.[index] ?? loopback;
  const routes = nodeNames.map(
    (_, index) => `${placeOf(index).routeHost}:${String(ports[2 * length + index])}`,
  );
  // Nodes of another cluster that was given one of these ports before are turned away by the name.
  const clusterName = `local-${randomBytes(4).toString("hex")}`;
  return nodeNames.map((name, index) =>
    clusterNode({
      settings: {
        name,
        clusterName,
        dataDir: join(resolve(options.dataDir), name),
        syncInterval: options.syncInterval,
        clientPort: ports[index] ?? 0,
        monitorPort: ports[length + index] ?? 0,
        clientHost: placeOf(index).clientHost,
        route: routes[index] ?? "",
        routes,
        accounts: options.accounts ?? [],
      },
      binary: options.binary,
      enter: placeOf(index).enter,
      endsWithParent: options.endsWithParent ?? false,
    }),
  );
};

const whenHealthy = async (nodes: readonly ClusterNode[]): Promise<void> => {
  const healthy = await waitFor(
    async () => {
      const answers = await Promise.all(nodes.map((node) => node.isHealthy()));
      return answers.every(Boolean) ? true : undefined;
    },
    { timeoutMs: healthyTimeoutMs, everyMs: 50 },
  );
  if (healthy === undefined) {
    throw new DomainError("prerequisite_missing", "The nodes of the cluster are not in step.");
  }
};
