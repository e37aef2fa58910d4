import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { EventStore } from "../event-store.ts";
import { execute } from "./execute.ts";
import { keepAggregate, loadKept, recallAggregate } from "./kept-aggregates.ts";
import { type AggregateDefinition, loadAggregate } from "./load.ts";
import { commitsBetweenSnapshots } from "./snapshots.ts";
import { memoryDataKeys } from "../testing/memory-data-keys.ts";
import { awaitSnapshot } from "../testing/await-snapshot.ts";
import { type Counter, counter, setMode, testMeta } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore();
});
afterAll(() => test.close());

const newKey = () => ({ organization: newId("organization"), id: newId("policy") });
type Key = ReturnType<typeof newKey>;
const change = (key: Key, action: string, store: EventStore = test.store, meta = testMeta()) =>
  execute(store, counter, key, setMode(action), meta);
/** The same log as another process has it, which has kept nothing. */
const elsewhere = (): EventStore => ({ ...test.store });

it("are the same object until somebody changes them, and then as the log has them", async () => {
  const key = newKey();
  const store = elsewhere();
  expect((await loadKept(store, counter, key)).state.count).toBe(0);
  await change(key, "one");
  const first = await loadKept(store, counter, key);
  expect((await loadKept(store, counter, key)).state).toBe(first.state);
  // More than is read at once.
  for (let count = 0; count < 300; count += 1) await change(key, `more ${count}`);
  const { folded: _, bytes: __, ...later } = await loadKept(store, counter, key);
  const { folded: ___, bytes: ____, ...whole } = await loadAggregate(store, counter, key);
  expect(later).toEqual(whole);
  expect(later.state.count).toBe(301);
});

it("are after each command what the log leads to, and are not read for the next one", async () => {
  const key = newKey();
  const readings = vi.spyOn(test.store.jsm.direct, "getBatch");
  for (let count = 1; count <= commitsBetweenSnapshots + 5; count += 1) {
    await change(key, `a${count}`);
  }
  expect(readings).toHaveBeenCalledTimes(1);
  readings.mockRestore();
  const kept = await recallAggregate(test.store, counter, key);
  const { snapshotVersion: _, ...withoutSnapshot } = counter;
  const { folded: __, ...whole } = await loadAggregate(test.store, withoutSnapshot, key);
  expect(kept).toMatchObject(whole);
  await awaitSnapshot(test.store, { ...key, aggregate: "policy" });
  expect((await loadAggregate(test.store, counter, key)).folded).toBeLessThan(10);
});

/** Lets in who comes while it is open, and each only once. */
const door: AggregateDefinition<string, Opened, Counter> = {
  ...counter,
  decider: {
    ...counter.decider,
    decide: (action, { actions }) => {
      if (actions.includes(action)) return [];
      if (action.startsWith("enter") && !actions.includes("open")) throw new Error("It is shut.");
      const set = { integration: "demo", action, mode: "allow", by: null, at: null } as const;
      return [{ type: "ActionModeSet", data: set }];
    },
  },
};
type Opened = Parameters<typeof counter.decider.evolve>[1];

it("decide nothing that another process has made different meanwhile", async () => {
  const key = newKey();
  const theirs = elsewhere();
  const at = (action: string, store = test.store, meta = testMeta()) =>
    execute(store, door, key, action, meta);
  await at("open");
  const meta = testMeta();
  const { position } = await at("enter a", theirs, meta);
  // Follows theirs, has nothing left to do where they have done it, and knows their command.
  expect((await at("enter b")).state.actions).toEqual(["open", "enter a", "enter b"]);
  await at("enter c", theirs);
  expect(await at("enter c")).toMatchObject({ changed: false, state: { count: 4 } });
  expect(await at("enter d", test.store, meta)).toMatchObject({ changed: false, position });
  expect((await loadAggregate(test.store, door, key)).state.count).toBe(4);
});

it("refuse nothing that another process has made possible meanwhile", async () => {
  const key = newKey();
  await execute(test.store, door, key, "knock", testMeta());
  await execute(elsewhere(), door, key, "open", testMeta());
  const { state } = await execute(test.store, door, key, "enter", testMeta());
  expect(state.actions).toEqual(["knock", "open", "enter"]);
  await expect(execute(elsewhere(), door, newKey(), "enter", testMeta())).rejects.toThrow("shut");
});

it("are forgotten when the key of their text is erased", async () => {
  const dataKeys = memoryDataKeys();
  const store: EventStore = { ...test.store, dataKeys };
  const key = newKey();
  await change(key, "one", store);
  const loaded = await loadKept(store, counter, key);
  const owner = key.organization;
  await dataKeys.toSeal({ organization: owner, owner });
  keepAggregate(store, counter, key, { ...loaded, textOwners: new Set([owner]) });
  expect(await recallAggregate(store, counter, key)).not.toBeNull();
  dataKeys.erase({ organization: owner, owner });
  expect(await recallAggregate(store, counter, key)).toBeNull();
});

it("leave room for others: one that is too large is not kept, and the oldest go first", async () => {
  const store = elsewhere();
  const keys = [newKey(), newKey()] as const;
  const loaded = (await change(keys[0], "one"), await loadAggregate(store, counter, keys[0]));
  const megabytes = 1024 * 1024;
  keepAggregate(store, counter, keys[0], { ...loaded, bytes: 9 * megabytes });
  expect(await recallAggregate(store, counter, keys[0])).toBeNull();
  keepAggregate(store, counter, keys[0], loaded);
  expect(await recallAggregate(store, counter, keys[0])).not.toBeNull();
  for (let count = 0; count < 16; count += 1) {
    keepAggregate(store, counter, newKey(), { ...loaded, bytes: 4 * megabytes });
  }
  expect(await recallAggregate(store, counter, keys[0])).toBeNull();
});
