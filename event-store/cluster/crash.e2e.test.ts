import { afterAll, beforeAll, expect, it } from "vitest";
import { auditReplicas } from "../replicas/audit-replicas.ts";
import { leaderOf } from "./testing/leader.ts";
import { startOccLoad, timeToResume } from "./testing/occ-load.ts";
import { openTestClusterStore, type TestClusterStore } from "./testing/test-cluster-store.ts";
import { verifyReplicas } from "./testing/verify-replicas.ts";

let test: TestClusterStore;
beforeAll(async () => {
  test = await openTestClusterStore();
});
afterAll(() => test.close());

it("keeps every acknowledged commit, on every node, when its servers are killed under load", async () => {
  const { store, cluster } = test;
  const load = startOccLoad(store);
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
  const monitors = cluster.nodes.map(({ monitor }) => monitor);
  expect((await auditReplicas({ monitors, patienceMs: 30_000 })).alarms).toEqual([]);

  const verdicts = await verifyReplicas(store, cluster, load.acknowledged);
  const [first] = verdicts;
  expect(first?.commits).toBeGreaterThanOrEqual(load.acknowledged.length);
  for (const verdict of verdicts) {
    expect(verdict).toMatchObject({ lost: 0, repeated: 0, outOfOrder: 0, chain: { ok: true } });
    expect(verdict.digest).toBe(first?.digest);
  }
});
