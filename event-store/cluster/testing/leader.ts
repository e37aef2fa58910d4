import type { ClusterNode } from "#infra/nats-cluster/cluster-node";
import type { NatsCluster } from "#infra/nats-cluster/nats-cluster";
import type { EventStore } from "../../event-store.ts";
import { streamOf } from "../../sharding.ts";
import { awaitLeaders, whenAvailable } from "../await-leaders.ts";

/** The node that leads the first shard. */
export const leaderOf = async ({ jsm }: EventStore, cluster: NatsCluster): Promise<ClusterNode> => {
  const stream = streamOf(0);
  await awaitLeaders(jsm, [stream]);
  const { cluster: placement } = await whenAvailable(() => jsm.streams.info(stream));
  return cluster.node(placement?.leader ?? "");
};
