import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import { connectToNats } from "../connection.ts";
import { openEventStore } from "../event-store.ts";
import { execute } from "./execute.ts";
import { type AggregateKey, loadAggregate, type LoadedAggregate } from "./load.ts";
import { subjectOf } from "../sharding.ts";
import { commitsBetweenSnapshots, readSnapshot, writeSnapshot } from "./snapshots.ts";
import { awaitSnapshot } from "../testing/await-snapshot.ts";
import { type Counter, counter, setMode, testMeta } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore();
});
afterAll(() => test.close());

const refOf = (key: AggregateKey) => ({ ...key, aggregate: "policy" }) as const;
const load = (key: AggregateKey): Promise<LoadedAggregate<Counter>> =>
  loadAggregate(test.store, counter, key);
const loadWhole = (key: AggregateKey): Promise<LoadedAggregate<Counter>> => {
  const { snapshotVersion: _, ...withoutSnapshot } = counter;
  return loadAggregate(test.store, withoutSnapshot, key);
};

/** An aggregate, and how it stood after each of its commits; the first of them is none. */
const history = async (commits: number) => {
  const key = { organization: newId("organization"), id: newId("policy") };
  const stages: LoadedAggregate<Counter>[] = [await load(key)];
  for (let index = 1; index <= commits; index += 1) {
    await execute(test.store, counter, key, setMode(`a${index}`), testMeta(`c${index}`));
    stages.push(await loadWhole(key));
  }
  return { key, stages };
};

/** The same log, as another process has it. */
const openAnother = async () => {
  const connection = await connectToNats({ url: test.url, name: "another" });
  const store = await openEventStore({ connection, durability: test.durability });
  return { store, [Symbol.asyncDispose]: () => connection.close() };
};

/** How much was read is the only thing that a snapshot may change. */
const meaning = ({ folded: _, bytes: __, ...rest }: LoadedAggregate<Counter>) => rest;

describe("a snapshot", () => {
  it("at any cut, and none at all, lead to the same aggregate", async () => {
    const { key, stages } = await history(12);
    const whole = await loadWhole(key);
    for (const [cut, folding] of stages.entries()) {
      if (cut === 0) continue;
      await writeSnapshot(test.store, counter, { ref: refOf(key), folding });
      const loaded = await load(key);
      expect(loaded.folded).toBe(12 - cut);
      expect(meaning(loaded)).toEqual(meaning(whole));

      await test.store.snapshots.delete(subjectOf(refOf(key), test.store.shards));
      expect(await load(key)).toEqual(whole);
    }
  });

  it("that another process wrote meanwhile, earlier or later, is used", async () => {
    const { key, stages } = await history(9);
    const [, , second, , , fifth] = stages;
    if (!second || !fifth) throw new Error("There are nine.");
    await using another = await openAnother();
    for (const folding of [second, fifth, second]) {
      await writeSnapshot(another.store, counter, { ref: refOf(key), folding });
      const loaded = await load(key);
      expect(loaded.folded).toBe(9 - folding.state.count);
      expect(meaning(loaded)).toEqual(meaning(await loadWhole(key)));
    }
  });

  it.each([
    ["is no JSON", () => "\u0000{"],
    ["has another shape", () => JSON.stringify({ version: 1, sequence: 1 })],
    ["has another version", (good: object) => JSON.stringify({ ...good, version: 2 })],
    [
      "names a commit that is not there",
      (good: object) => JSON.stringify({ ...good, sequence: 1e9 }),
    ],
    ["names a commit of other content", (good: object) => JSON.stringify({ ...good, hash: "f" })],
  ])("that %s is passed over", async (_, forge) => {
    const { key, stages } = await history(3);
    const [, , folding] = stages;
    if (!folding) throw new Error("There are three.");
    const good = {
      version: 1,
      sequence: folding.sequence,
      hash: folding.hash,
      state: { count: 99, actions: [] },
      commandIds: [],
      commandSequences: [],
    };
    const subject = subjectOf(refOf(key), test.store.shards);
    await test.store.snapshots.put(subject, JSON.stringify(good));
    expect((await load(key)).state.count, "a good one counts").toBe(100);

    await test.store.snapshots.put(subject, forge(good));
    expect(await load(key)).toEqual(await loadWhole(key));
    const next = await execute(test.store, counter, key, setMode("next"), testMeta());
    expect(next.state.count).toBe(4);
  });

  it("is written once enough has been folded, and remembers the commands before it", async () => {
    const key = { organization: newId("organization"), id: newId("policy") };
    for (let index = 0; index <= commitsBetweenSnapshots; index += 1) {
      expect(await readSnapshot(test.store, counter, refOf(key))).toBeNull();
      await execute(test.store, counter, key, setMode(`a${index}`), testMeta(`c${index}`));
    }
    await awaitSnapshot(test.store, refOf(key));
    const written = await readSnapshot(test.store, counter, refOf(key));
    expect(written?.state.count).toBe(commitsBetweenSnapshots + 1);
    const again = await execute(test.store, counter, key, setMode("a0"), testMeta("c0"));
    expect(again.changed).toBe(false);
  });

  it("keeps no command waiting", async () => {
    const key = { organization: newId("organization"), id: newId("policy") };
    await using another = await openAnother();
    const unanswered = new Promise<number>(() => undefined);
    const put = vi.spyOn(another.store.snapshots, "put").mockReturnValue(unanswered);
    for (let index = 0; index <= commitsBetweenSnapshots + 1; index += 1) {
      await execute(another.store, counter, key, setMode(`a${index}`), testMeta());
    }
    expect(put).toHaveBeenCalledTimes(1);
    expect((await load(key)).folded).toBe(commitsBetweenSnapshots + 2);
  });
});
