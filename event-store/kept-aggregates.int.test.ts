import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { execute } from "./execute.ts";
import { keptAggregates } from "./kept-aggregates.ts";
import { loadAggregate } from "./load.ts";
import { memoryDataKeys } from "./testing/memory-data-keys.ts";
import { counter, setMode, testMeta } from "./testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "./testing/test-event-store.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore();
});
afterAll(() => test.close());

const newKey = () => ({ organization: newId("organization"), id: newId("policy") });
const change = (key: ReturnType<typeof newKey>, action: string) =>
  execute(test.store, counter, key, setMode(action), testMeta());

it("are the same object until somebody changes them, and then as the log has them", async () => {
  const kept = keptAggregates(counter);
  const key = newKey();
  expect((await kept.load(test.store, key)).state.count).toBe(0);
  await change(key, "one");
  const first = await kept.load(test.store, key);
  expect((await kept.load(test.store, key)).state).toBe(first.state);
  // More than is read at once.
  for (let count = 0; count < 300; count += 1) await change(key, `more ${count}`);
  const { folded: _, ...later } = await kept.load(test.store, key);
  const { folded: __, ...whole } = await loadAggregate(test.store, counter, key);
  expect(later).toEqual(whole);
  expect(later.state.count).toBe(301);
});

it("are read anew when their text may have been erased since", async () => {
  // Keys that nobody may remember at all.
  const store = { ...test.store, dataKeys: memoryDataKeys() };
  const kept = keptAggregates(counter);
  const key = newKey();
  await change(key, "one");
  const first = await kept.load(store, key);
  const second = await kept.load(store, key);
  expect(second.state).not.toBe(first.state);
  expect(second.state).toEqual(first.state);
});
