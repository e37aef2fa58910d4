import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { create } from "#services/sessions/testing/session-events";
import { sessionAggregate } from "#services/sessions/aggregate/decider";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import { execute } from "../aggregates/execute.ts";
import { type Lease, openLeases } from "./leases.ts";
import { readAll } from "../reading/read-all.ts";
import { startAnswerSwallowingProxy } from "../testing/answer-swallowing-proxy.ts";
import { startTestProcess } from "../testing/child-process.ts";
import { testMeta } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";

const patience = { timeout: 30_000, interval: 20 };

let test: TestEventStore;
let store: EventStore;
beforeAll(async () => {
  test = await openTestEventStore();
  ({ store } = test);
});
afterAll(() => test.close());

const revisionsOf = async (bucket: string): Promise<number> =>
  (await store.jsm.streams.info(`KV_${bucket}`)).state.last_seq;

describe("a lease", () => {
  it("is held by one, grows in epoch, and can be given back", async () => {
    const leases = await openLeases(store, "owner");
    const key = newId("session");
    const first = await leases.acquire(key, "one");
    expect(await leases.acquire(key, "two")).toBeNull();
    expect(await leases.holder(key)).toEqual({ instance: "one" });
    await first?.release();
    expect(first?.lost.aborted).toBe(true);
    const second = await leases.acquire(key, "two");
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? Number.POSITIVE_INFINITY);
    await second?.release();
    expect(await leases.holder(key)).toBeNull();
  });

  it("is taken by one of many who ask at once", async () => {
    const leases = await openLeases(store, "owner");
    const key = newId("session");
    const asked = await Promise.all(
      Array.from({ length: 20 }, (_, index) => leases.acquire(key, `instance-${index}`)),
    );
    const held = asked.filter((lease) => lease !== null);
    expect(held).toHaveLength(1);
    await held[0]?.release();
  });

  it("outlives its time to live while it is renewed, and ends when somebody takes it away", async () => {
    // A holder that hears nothing for two thirds of it gives up: so long no busy disk takes.
    const leases = await openLeases(store, "runtime", { ttlMs: 9_000 });
    const key = newId("session");
    const lease = await leases.acquire(key, "one");
    const bucket = "leases_runtime_9000";
    await vi.waitUntil(
      async () => (await revisionsOf(bucket)) - (lease?.epoch ?? 0) >= 4,
      patience,
    );
    expect(lease?.lost.aborted).toBe(false);
    await store.jsm.streams.purge(`KV_${bucket}`);
    await vi.waitUntil(() => lease?.lost.aborted === true, patience);
    expect(await leases.holder(key)).toBeNull();
  });
});

describe("an owner that is paused past the end of its lease", () => {
  it("writes nothing after somebody else has taken over, and learns that it has lost", async () => {
    const [organization, session] = [newId("organization"), newId("session")];
    const key = { organization, id: session };
    await execute(store, sessionAggregate, key, create, testMeta());
    const ttlMs = 3_000;
    const leases = await openLeases(store, "owner", { ttlMs });
    const paused = await startTestProcess(new URL("../testing/owner-process.ts", import.meta.url), [
      test.url,
      test.durability,
      organization,
      session,
      String(ttlMs),
    ]);
    try {
      const said = (start: string) => paused.lines.filter((line) => line.startsWith(start));
      // A process compiles its program before it does anything.
      await vi.waitUntil(() => said("wrote").length > 3, { timeout: 90_000, interval: 20 });
      paused.signal("SIGSTOP");
      let successor: Lease | null = null;
      await vi.waitUntil(async () => (successor = await leases.acquire(session, "next")), patience);
      const { epoch } = successor as unknown as Lease;
      await execute(
        store,
        sessionAggregate,
        key,
        { type: "AcquireOwnership", instance: "next", epoch },
        testMeta(),
      );
      paused.signal("SIGCONT");
      await vi.waitUntil(() => said("lost").length > 0 && said("refused").length > 0, patience);
      await execute(
        store,
        sessionAggregate,
        key,
        { type: "StartSandbox", epoch, provider: "test" },
        testMeta(),
      );
      await (successor as unknown as Lease).release();

      expect(said("refused")).toEqual(["refused stale_owner"]);
      const owned: string[] = [];
      for await (const { ref, commit } of readAll(store)) {
        for (const { type, data } of ref.id === session ? commit.events : []) {
          if (type === "OwnershipAcquired") owned.push(`acquired by ${String(data["instance"])}`);
          if (type === "SandboxStarting") owned.push(`epoch ${String(data["epoch"])}`);
        }
      }
      const takeover = owned.indexOf("acquired by next");
      expect(owned[0]).toBe("acquired by paused");
      const earlier = new Set(owned.slice(1, takeover));
      expect(earlier.size).toBe(1);
      expect(earlier).not.toContain(`epoch ${epoch}`);
      expect(owned.slice(takeover + 1)).toEqual([`epoch ${epoch}`]);
    } finally {
      await paused.kill();
    }
  }, 180_000);
});

describe("a lease on a network that fails", () => {
  it("is still held when the answer to its renewal got lost", async () => {
    const proxy = await startAnswerSwallowingProxy(test.url);
    const unreliable = await connectToNats({ url: proxy.url, name: "unreliable" });
    try {
      const ttlMs = 12_000;
      const bucket = `leases_runtime_${ttlMs}`;
      const leases = await openLeases(
        await openEventStore({ connection: unreliable, durability: test.durability }),
        "runtime",
        { ttlMs },
      );
      const key = newId("session");
      proxy.swallowAnswerTo(`$KV.${bucket}.${key}`);
      const lease = await leases.acquire(key, "one");
      expect(proxy.swallowed()).toBe(1);
      // Asked for again, and not taken twice: the first revision of this bucket.
      expect(lease?.epoch).toBe(1);

      proxy.swallowAnswerTo(`$KV.${bucket}.${key}`);
      await vi.waitUntil(() => proxy.swallowed() === 2, patience);
      const lost = await revisionsOf(bucket);
      await vi.waitUntil(async () => (await revisionsOf(bucket)) > lost, patience);
      expect(lease?.lost.aborted).toBe(false);
      // Given back over the newest revision, it is free at once.
      await lease?.release();
      expect(await leases.holder(key)).toBeNull();
    } finally {
      await unreliable.close();
      await proxy.close();
    }
  });
});
