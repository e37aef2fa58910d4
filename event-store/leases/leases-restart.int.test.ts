import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { openLeases } from "./leases.ts";
import {
  openRestartableEventStore,
  type RestartableEventStore,
} from "../testing/restartable-event-store.ts";

const patience = { timeout: 30_000, interval: 20 };

let test: RestartableEventStore;
beforeAll(async () => {
  test = await openRestartableEventStore();
});
afterAll(() => test.close());

const revisions = async (): Promise<number> =>
  (await test.store.jsm.streams.info("KV_leases_runtime")).state.last_seq;

it.each(["SIGKILL", "SIGTERM"] as const)(
  "a lease outlives a restart of the server after %s",
  async (signal) => {
    const leases = await openLeases(test.store, "runtime");
    const keys = Array.from({ length: 10 }, () => newId("session"));
    const held = await Promise.all(keys.map((key) => leases.acquire(key, "one")));
    await test.nats.end(signal);
    await test.nats.start();
    await vi.waitFor(() => test.connection.rtt(), patience);
    const before = await revisions();
    await vi.waitUntil(async () => (await revisions()) >= before + keys.length, patience);
    expect(held.map((lease) => lease?.lost.aborted)).toEqual(keys.map(() => false));
    await Promise.all(held.flatMap((lease) => (lease ? [lease.release()] : [])));
    expect(await Promise.all(keys.map((key) => leases.holder(key)))).toEqual(keys.map(() => null));
  },
);

it("a lease is lost, and not renewed any more, when the server answers too late", async () => {
  const leases = await openLeases(test.store, "runtime", { ttlMs: 3_000 });
  const key = newId("session");
  const lease = await leases.acquire(key, "one");
  test.nats.signal("SIGSTOP");
  await vi.waitUntil(() => lease?.lost.aborted === true, patience);
  // What was asked for meanwhile is done only now; nobody may be kept out by it for ever.
  test.nats.signal("SIGCONT");
  const next = await vi.waitUntil(() => leases.acquire(key, "two"), patience);
  expect(next.epoch).toBeGreaterThan(lease?.epoch ?? Number.POSITIVE_INFINITY);
  await next.release();
});
