/** Real servers that are killed. What a power cut does cannot be tested here: see docs/durability.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { type EmbeddedNats, startNats } from "#infra/nats/embedded-nats";
import { connectToNats } from "./connection.ts";
import { durabilities } from "./durability.ts";
import { type EventStore, openEventStore } from "./event-store.ts";
import { execute } from "./aggregates/execute.ts";
import { type AggregateKey, loadAggregate } from "./aggregates/load.ts";
import { readAggregate } from "./reading/read-aggregate.ts";
import { readAll } from "./reading/read-all.ts";
import { counter, setMode, testMeta } from "./testing/counter.ts";
import { openCuttingProxy } from "./testing/cutting-proxy.ts";
import { verifyChain } from "./reading/verify-chain.ts";

/** Enough to be grouped where each commit is synced. */
const writers = 64;
const commandsEach = 5;
const kills = 3;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "proliferate-durability-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const start = (syncInterval: "always" | "2m"): Promise<EmbeddedNats> =>
  startNats({ dataDir, binary: inject("natsServerBinary"), syncInterval, endsWithParent: true });

interface Acknowledged {
  readonly key: AggregateKey;
  readonly commandId: string;
  readonly position: string;
}

/** A writer that has only one aggregate, and goes on to its next command when one is acknowledged. */
const write = async (store: EventStore, acknowledged: Acknowledged[]): Promise<void> => {
  const key = { organization: newId("organization"), id: newId("policy") };
  for (let index = 0; index < commandsEach; index += 1) {
    const commandId = newId("command");
    const command = setMode(`a${index}`);
    const { position } = await execute(store, counter, key, command, testMeta(commandId));
    acknowledged.push({ key, commandId, position });
  }
};

// `replicated` needs three servers, and has tests of its own.
describe.each(["fsync", "relaxed"] as const)("a commit acknowledged in the mode %s", (mode) => {
  it("is in its place, once, after the server was killed again and again", async () => {
    const { syncInterval } = durabilities[mode];
    let nats = await start(syncInterval);
    await using proxy = await openCuttingProxy(nats.url);
    const connection = await connectToNats({ url: proxy.url, name: "writers" });
    try {
      const store = await openEventStore({ connection, durability: mode });
      const acknowledged: Acknowledged[] = [];
      const writing = Promise.all(
        Array.from({ length: writers }, () => write(store, acknowledged)),
      );
      for (let kill = 1; kill <= kills; kill += 1) {
        const enough = (writers * commandsEach * kill) / (kills + 1);
        await Promise.race([
          vi.waitUntil(() => acknowledged.length >= enough, { timeout: 30_000, interval: 5 }),
          // Ends the test at once if a writer fails.
          writing,
        ]);
        process.kill(nats.pid, "SIGKILL");
        await nats.exited;
        await nats.stop();
        nats = await start(syncInterval);
        proxy.target = nats.url;
      }
      await writing;

      expect(acknowledged).toHaveLength(writers * commandsEach);
      for (const key of new Set(acknowledged.map((one) => one.key))) {
        const own = acknowledged.filter((one) => one.key === key);
        const stored: Omit<Acknowledged, "key">[] = [];
        for await (const { commit, position } of readAggregate(store, {
          ...key,
          aggregate: "policy",
        })) {
          stored.push({ commandId: commit.meta.commandId, position });
        }
        expect(stored).toEqual(own.map(({ commandId, position }) => ({ commandId, position })));
      }
      expect(await verifyChain(readAll(store))).toMatchObject({
        ok: true,
        commits: writers * commandsEach,
        aggregates: writers,
      });
    } finally {
      await connection.close();
      await nats.stop();
    }
  });
});

describe("loading", () => {
  it("leaves no subscription behind at the server", async () => {
    await using nats = await start("2m");
    const connection = await connectToNats({ url: nats.url, name: "loader" });
    try {
      const store = await openEventStore({ connection, durability: "relaxed" });
      const key = { organization: newId("organization"), id: newId("policy") };
      await execute(store, counter, key, setMode("a"), testMeta());
      const subscriptions = async (): Promise<number> => {
        await connection.flush();
        const answer = await fetch(`${nats.monitor}/varz`);
        return ((await answer.json()) as { subscriptions: number }).subscriptions;
      };
      const before = await subscriptions();
      for (let load = 0; load < 20; load += 1) {
        await loadAggregate(store, counter, key);
        await loadAggregate(store, counter, { ...key, id: newId("policy") });
      }
      expect(await subscriptions()).toBeLessThanOrEqual(before);
    } finally {
      await connection.close();
    }
  });
});
