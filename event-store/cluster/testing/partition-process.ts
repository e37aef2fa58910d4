/**
 * Test aid, to be started in a network of its own: cuts the leader off from the two others while clients
 * append through it and through them, heals the network, and says in one line of JSON what it saw.
 */
import { createNodeNetworks } from "#infra/nats-cluster/node-networks";
import { startTemporaryCluster } from "#infra/testing/temporary-cluster";
import { connectToNats } from "../../connection.ts";
import { openEventStore } from "../../event-store.ts";
import { auditReplicas } from "../../replicas/audit-replicas.ts";
import { leaderOf } from "./leader.ts";
import { startOccLoad, timeToResume } from "./occ-load.ts";
import { type ReplicaVerdict, verifyReplicas } from "./verify-replicas.ts";

export interface PartitionOutcome {
  /** Appends that a client of the lone node has begun after the cut, and was acknowledged before the end of it. */
  readonly acknowledgedByMinority: number;
  /** The same of a client of the two others. */
  readonly acknowledgedByMajority: number;
  /** Whether the lone node acknowledged again after the cut. */
  readonly minorityResumed: boolean;
  readonly acknowledged: number;
  readonly alarms: readonly unknown[];
  readonly replicas: readonly ReplicaVerdict[];
}

const [binary = ""] = process.argv.slice(2);
/** The cut lasts until so many appends were acknowledged on the other side. */
const majorityAppends = 500;

const connectTo = async (name: string, urls: readonly string[]) => {
  const connection = await connectToNats({ url: urls.join(","), name });
  return openEventStore({ connection, durability: "replicated" });
};

await using networks = await createNodeNetworks();
await using cluster = await startTemporaryCluster({ binary, places: networks.places });
const all = await connectTo("all", [cluster.url]);
const leader = await leaderOf(all, cluster);
const others = cluster.nodes.filter((node) => node !== leader);
const minority = await connectTo("minority", [leader.url]);
const majority = await connectTo(
  "majority",
  others.map(({ url }) => url),
);
const loads = {
  minority: startOccLoad(minority, { writers: 8 }),
  majority: startOccLoad(majority, { writers: 8 }),
};
const began = performance.now();
await Promise.all(Object.values(loads).map((load) => timeToResume(load, began)));

await networks.isolate(cluster.nodes.indexOf(leader));
const cutAt = performance.now();
const duringCut = (load: keyof typeof loads, until: number): number =>
  loads[load].acknowledged.filter(
    ({ begunAt, acknowledgedAt }) => begunAt >= cutAt && acknowledgedAt < until,
  ).length;
await timeToResume(loads.majority, cutAt);
while (duringCut("majority", Infinity) < majorityAppends) {
  await timeToResume(loads.majority, performance.now());
}
const healedAt = performance.now();
const acknowledgedByMinority = duringCut("minority", healedAt);
const acknowledgedByMajority = duringCut("majority", healedAt);
await networks.rejoin(cluster.nodes.indexOf(leader));

const minorityResumed = (await timeToResume(loads.minority, healedAt, 120_000)) < Infinity;
await cluster.whenHealthy();
await Promise.all(Object.values(loads).map((load) => load.stop()));
const acknowledged = [...loads.minority.acknowledged, ...loads.majority.acknowledged];
const { alarms } = await auditReplicas({
  monitors: cluster.nodes.map(({ monitor }) => monitor),
  patienceMs: 30_000,
});
const replicas = await verifyReplicas(all, cluster, acknowledged);
await Promise.all([all, minority, majority].map(({ connection }) => connection.close()));
const outcome: PartitionOutcome = {
  acknowledgedByMinority,
  acknowledgedByMajority,
  minorityResumed,
  acknowledged: acknowledged.length,
  alarms,
  replicas,
};
process.stdout.write(`${JSON.stringify(outcome)}\n`);
