import { readdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import {
  openTestClusterStore,
  type TestClusterStore,
} from "../cluster/testing/test-cluster-store.ts";
import { execute } from "../aggregates/execute.ts";
import { counter, setMode, testMeta } from "../testing/counter.ts";
import { auditReplicas } from "./audit-replicas.ts";
import { healReplica } from "./heal-replica.ts";
import { watchReplicas } from "./watch-replicas.ts";

const stream = "EVENTS_0";
const patienceMs = 30_000;

let test: TestClusterStore;
beforeAll(async () => {
  test = await openTestClusterStore();
});
afterAll(() => test.close());

const monitors = (): string[] => test.cluster.nodes.map(({ monitor }) => monitor);
const audit = (patience = patienceMs) =>
  auditReplicas({ monitors: monitors(), patienceMs: patience });

const appendCommits = async (count: number): Promise<void> => {
  const key = { organization: newId("organization"), id: newId("policy") };
  for (let index = 0; index < count; index += 1) {
    await execute(test.store, counter, key, setMode(`a${index}`), testMeta());
  }
};

const followerOf = async (name: string) => {
  const info = await vi.waitUntil(
    async () => {
      const { cluster } = await test.store.jsm.streams.info(name);
      return cluster?.leader ? cluster : undefined;
    },
    { timeout: patienceMs },
  );
  const follower = test.cluster.nodes.find((node) => node.name !== info.leader);
  if (follower === undefined) throw new Error("A cluster has followers.");
  return follower;
};

/** Gathers what a watcher says. */
const recordingLog = () => {
  const errors: string[] = [];
  const infos: string[] = [];
  return {
    errors,
    infos,
    error: (_: object, message: string) => errors.push(message),
    info: (_: object, message: string) => infos.push(message),
    warn: () => undefined,
  };
};

/** Cuts the newest block in half, as a disk does that lost what it had confirmed. */
const loseNewestMessages = async (storeDir: string): Promise<void> => {
  const blocks = join(storeDir, "jetstream", "$G", "streams", stream, "msgs");
  const names = (await readdir(blocks)).filter((name) => name.endsWith(".blk"));
  const newest = names.sort((a, b) => parseInt(a, 10) - parseInt(b, 10)).at(-1) ?? "";
  const path = join(blocks, newest);
  await truncate(path, Math.floor((await stat(path)).size / 2));
};

it("names the replica that lost messages though its node claims to be in step, and heals it", async () => {
  await appendCommits(60);
  expect((await audit()).alarms).toEqual([]);

  const victim = await followerOf(stream);
  await victim.stop();
  expect((await audit(0)).alarms).toContainEqual({ kind: "unreachable", monitor: victim.monitor });
  await loseNewestMessages(victim.storeDir);
  await victim.start();
  await test.cluster.whenHealthy();
  // It follows what comes now, and has a hole where it was cut.
  await appendCommits(10);
  await vi.waitFor(
    async () =>
      expect((await audit(0)).alarms).toEqual([
        expect.objectContaining({ kind: "holes", node: victim.name, stream, expected: 70 }),
      ]),
    { timeout: patienceMs },
  );

  const log = recordingLog();
  const watcher = watchReplicas({ monitors: monitors(), log, everyMs: 100, patienceMs: 500 });
  await vi.waitFor(
    () =>
      expect(log.errors).toContainEqual(
        expect.stringMatching(new RegExp(`^${victim.name} holds \\d+ of 70 messages of ${stream}`)),
      ),
    { timeout: patienceMs },
  );

  // Another replica is not whole then: this one may be needed.
  const other = test.cluster.nodes.find(({ name }) => name !== victim.name);
  const control = { stop: () => victim.stop(), start: () => victim.start() };
  const heal = { monitors: monitors(), stream, patienceMs };
  await expect(healReplica({ ...heal, node: other?.name ?? "", control })).rejects.toMatchObject({
    code: "prerequisite_missing",
  });
  expect(victim.isRunning()).toBe(true);

  await healReplica({ ...heal, node: victim.name, control });
  expect((await audit()).alarms).toEqual([]);

  await vi.waitFor(() => expect(log.infos).toContain("A replica is whole again."), {
    timeout: patienceMs,
  });
  await watcher.stop();

  // What the node remembers of the damage must not come back with its next start.
  await victim.kill();
  await appendCommits(5);
  await victim.start();
  const { alarms, readings } = await audit();
  expect(alarms).toEqual([]);
  expect(readings.flatMap(({ replicas }) => replicas.map(({ messages }) => messages))).toEqual([
    75, 75, 75,
  ]);
}, 180_000);
