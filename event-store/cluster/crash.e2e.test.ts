import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { lastSequence, openCommitFeed } from "../reading/commit-feed.ts";
import type { EventStore } from "../event-store.ts";
import { auditReplicas } from "../replicas/audit-replicas.ts";
import { whenAvailable } from "./await-leaders.ts";
import { leaderOf } from "./testing/leader.ts";
import { startOccLoad, timeToResume } from "./testing/occ-load.ts";
import { openTestClusterStore, type TestClusterStore } from "./testing/test-cluster-store.ts";
import { verifyReplicas } from "./testing/verify-replicas.ts";

let test: TestClusterStore;
beforeAll(async () => {
  test = await openTestClusterStore();
});
afterAll(() => test.close());

/** Follows the log as a projector does, which must not notice anything but silence. */
const followLog = (store: EventStore) => {
  const stopping = new AbortController();
  const followed = { last: 0 };
  const following = (async () => {
    const feed = openCommitFeed(store, { shard: 0, after: 0, signal: stopping.signal });
    for await (const batch of feed) followed.last = batch.at(-1)?.sequence ?? followed.last;
  })();
  // Whoever stops it sees the failure.
  following.catch(() => undefined);
  return {
    followed,
    stop: async () => {
      stopping.abort();
      await following;
    },
  };
};

it("keeps every acknowledged commit, on every node, when its servers are killed under load", async () => {
  const { store, cluster } = test;
  const load = startOccLoad(store);
  const follower = followLog(store);
  try {
    for (let round = 0; round < 2; round += 1) {
      const leader = await leaderOf(store, cluster);
      await leader.kill();
      expect(await timeToResume(load, performance.now())).toBeLessThan(Infinity);
      await leader.start();
      await cluster.whenHealthy();
    }
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    const restartedAt = performance.now();
    await Promise.all(cluster.nodes.map((node) => node.start()));
    expect(await timeToResume(load, restartedAt)).toBeLessThan(Infinity);
  } finally {
    await load.stop();
  }
  await cluster.whenHealthy();
  const end = await whenAvailable(() => lastSequence(store, 0));
  await vi
    .waitUntil(() => follower.followed.last === end, { timeout: 60_000 })
    .finally(() => follower.stop());

  const monitors = cluster.nodes.map(({ monitor }) => monitor);
  expect((await auditReplicas({ monitors, patienceMs: 30_000 })).alarms).toEqual([]);

  const verdicts = await verifyReplicas(store, cluster, load.acknowledged);
  const [first] = verdicts;
  expect(first?.commits).toBeGreaterThanOrEqual(load.acknowledged.length);
  for (const verdict of verdicts) {
    expect(verdict).toMatchObject({ lost: 0, repeated: 0, outOfOrder: 0, chain: { ok: true } });
    expect(verdict.digest).toBe(first?.digest);
  }
}, 300_000);
