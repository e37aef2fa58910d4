/** How fast a cluster of three appends, how long it is silent when nodes go, and what it loses. */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { findNatsServer } from "#infra/nats/find-nats-server";
import { type NatsCluster, startNatsCluster } from "#infra/nats-cluster/nats-cluster";
import { percentile } from "../../bench/percentile.ts";
import { connectToNats } from "../../connection.ts";
import { durabilities } from "../../durability.ts";
import { type EventStore, openEventStore } from "../../event-store.ts";
import { streamOf } from "../../sharding.ts";
import { whenAvailable } from "../await-leaders.ts";
import { leaderOf } from "../testing/leader.ts";
import { longestPause, type OccLoad, startOccLoad, timeToResume } from "../testing/occ-load.ts";
import { verifyReplicas } from "../testing/verify-replicas.ts";

interface Pauses {
  readonly rounds: number;
  readonly p50Seconds: number;
  readonly maxSeconds: number;
}

export interface ClusterBench {
  /** 16 writers, each on an aggregate of its own, durability `replicated`. */
  readonly appendPerSecond: number;
  /** The longest of all rounds in which one node was killed. */
  readonly recoverySeconds: number;
  /** Acknowledged commits that any node lacks, has twice or has at another place. */
  readonly lost: number;
  readonly acknowledged: number;
  readonly replicasAreIdentical: boolean;
  readonly leaderKilled: Pauses;
  /** From the start of the servers on. */
  readonly allNodesKilled: Pauses;
  readonly leaderSteppedDown: Pauses;
  readonly leaderInLameDuckMode: Pauses;
  readonly leaderTerminated: Pauses;
}

export interface ClusterRounds {
  readonly leaderKills: number;
  readonly allKills: number;
  /** Of each graceful way. */
  readonly graceful: number;
}

const defaultRounds: ClusterRounds = { leaderKills: 20, allKills: 5, graceful: 5 };
const quietMs = 3_000;
/** Load between two disturbances. */
const betweenMs = 500;

/** Kills and asks nodes to go under the load of 16 writers, then reads every node wholly. */
export const benchCluster = async (
  dataDir: string,
  rounds: ClusterRounds = defaultRounds,
): Promise<ClusterBench> => {
  await using cluster = await startNatsCluster({
    dataDir,
    endsWithParent: true,
    binary: await findNatsServer({ env: process.env }),
    syncInterval: durabilities.replicated.syncInterval,
  });
  const connection = await connectToNats({ url: cluster.url, name: "bench" });
  try {
    const store = await openEventStore({ connection, durability: "replicated" });
    return await measure(store, cluster, rounds);
  } finally {
    await connection.close();
  }
};

const measure = async (
  store: EventStore,
  cluster: NatsCluster,
  rounds: ClusterRounds,
): Promise<ClusterBench> => {
  const quiet = startOccLoad(store, { aggregates: 16 });
  await delay(quietMs);
  await quiet.stop();
  const load = startOccLoad(store);
  const repeat = (count: number, round: (bench: Bench) => Promise<number>) =>
    pausesOf({ store, cluster, load }, count, round);
  const leaderSteppedDown = await repeat(rounds.graceful, stepDown);
  const leaderInLameDuckMode = await repeat(rounds.graceful, lameDuck);
  const leaderTerminated = await repeat(rounds.graceful, terminate);
  const leaderKilled = await repeat(rounds.leaderKills, killLeader);
  const allNodesKilled = await repeat(rounds.allKills, killAll);
  await load.stop();
  const acknowledged = [...quiet.acknowledged, ...load.acknowledged];
  const verdicts = await verifyReplicas(store, cluster, acknowledged);
  const first = quiet.acknowledged.at(0)?.acknowledgedAt ?? 0;
  const last = quiet.acknowledged.at(-1)?.acknowledgedAt ?? Infinity;
  return {
    appendPerSecond: Math.round((quiet.acknowledged.length * 1_000) / (last - first)),
    recoverySeconds: leaderKilled.maxSeconds,
    lost: Math.max(...verdicts.map((verdict) => faultsOf(verdict))),
    acknowledged: acknowledged.length,
    replicasAreIdentical: new Set(verdicts.map(({ digest }) => digest)).size === 1,
    leaderKilled,
    allNodesKilled,
    leaderSteppedDown,
    leaderInLameDuckMode,
    leaderTerminated,
  };
};

const faultsOf = ({
  lost,
  repeated,
  outOfOrder,
  chain,
}: Awaited<ReturnType<typeof verifyReplicas>>[number]): number =>
  lost + repeated + outOfOrder + (chain.ok ? 0 : 1);

interface Bench {
  readonly store: EventStore;
  readonly cluster: NatsCluster;
  readonly load: OccLoad;
}

const pausesOf = async (
  bench: Bench,
  rounds: number,
  round: (bench: Bench) => Promise<number>,
): Promise<Pauses> => {
  const seconds: number[] = [];
  for (let count = 0; count < rounds; count += 1) {
    await delay(betweenMs);
    seconds.push((await round(bench)) / 1_000);
    await Promise.all(bench.cluster.nodes.map((node) => node.start()));
    await bench.cluster.whenHealthy();
  }
  return {
    rounds,
    p50Seconds: percentile(seconds, 50),
    maxSeconds: percentile(seconds, 100),
  };
};

const killLeader = async ({ store, cluster, load }: Bench): Promise<number> => {
  const leader = await leaderOf(store, cluster);
  await leader.kill();
  return timeToResume(load, performance.now());
};

const killAll = async ({ cluster, load }: Bench): Promise<number> => {
  await Promise.all(cluster.nodes.map((node) => node.kill()));
  const from = performance.now();
  await Promise.all(cluster.nodes.map((node) => node.start()));
  return timeToResume(load, from);
};

/** The longest silence from the request until appends that begun after it are answered again. */
const pauseWhile = async ({ load }: Bench, work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  await timeToResume(load, performance.now());
  await delay(betweenMs);
  return longestPause(load, { from, to: performance.now() });
};

const stepDown = (bench: Bench): Promise<number> =>
  pauseWhile(bench, () =>
    whenAvailable(() =>
      bench.store.connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${streamOf(0)}`),
    ),
  );

const lameDuck = async (bench: Bench): Promise<number> => {
  const leader = await leaderOf(bench.store, bench.cluster);
  return pauseWhile(bench, async () => {
    leader.enterLameDuckMode();
    while (leader.isRunning()) await delay(50);
  });
};

const terminate = async (bench: Bench): Promise<number> => {
  const leader = await leaderOf(bench.store, bench.cluster);
  return pauseWhile(bench, () => leader.stop());
};
