import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { execute } from "./aggregates/execute.ts";
import { loadAggregate } from "./aggregates/load.ts";
import { readAggregate } from "./reading/read-aggregate.ts";
import { readAll } from "./reading/read-all.ts";
import { commitsBetweenSnapshots } from "./aggregates/snapshots.ts";
import { counter, setMode, testMeta } from "./testing/counter.ts";
import { awaitSnapshot } from "./testing/await-snapshot.ts";
import { openTestEventStore, type TestEventStore } from "./testing/test-event-store.ts";
import { planTopology } from "./topology/plan.ts";
import { streamDefinitions } from "./topology/streams.ts";
import { verifyChain } from "./reading/verify-chain.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore({ shards: 2 });
});
afterAll(() => test.close());

const newKey = () => ({ organization: newId("organization"), id: newId("policy") });
const gather = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const gathered: T[] = [];
  for await (const item of items) {
    gathered.push(item);
  }
  return gathered;
};

describe("topology", () => {
  it("has nothing left to change once it was applied", async () => {
    const { jsm, replicas } = test.store;
    expect(await planTopology(jsm, streamDefinitions({ shards: 2, replicas }))).toEqual([]);
  });

  it("names what it would create", async () => {
    const { jsm, replicas } = test.store;
    expect(await planTopology(jsm, streamDefinitions({ shards: 3, replicas }))).toEqual([
      { kind: "create", stream: "EVENTS_2" },
    ]);
  });
});

describe("execute", () => {
  it("appends what was decided and folds it again", async () => {
    const key = newKey();
    const first = await execute(test.store, counter, key, setMode("a"), testMeta());
    const second = await execute(test.store, counter, key, setMode("b"), testMeta());
    expect([first.state.count, second.state.count]).toEqual([1, 2]);
    const loaded = await loadAggregate(test.store, counter, key);
    expect(loaded).toMatchObject({
      state: { count: 2, actions: ["a", "b"] },
      position: second.position,
    });
  });

  it("changes nothing when nothing is decided", async () => {
    const key = newKey();
    const { position } = await execute(test.store, counter, key, setMode("a"), testMeta());
    const nothing = await execute(test.store, counter, key, setMode("nothing"), testMeta());
    expect(nothing).toMatchObject({ position, changed: false, events: [] });
  });

  it("refuses to do nothing to an aggregate that does not exist", async () => {
    await expect(
      execute(test.store, counter, newKey(), setMode("nothing"), testMeta()),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  it("carries a command out once, however often and from how many places it comes", async () => {
    const key = newKey();
    const meta = testMeta("the-same-command");
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => execute(test.store, counter, key, setMode("a"), meta)),
    );
    const again = await execute(test.store, counter, key, setMode("a"), {
      ...meta,
      at: new Date().toISOString(),
    });
    expect(new Set([...outcomes, again].map(({ position }) => position)).size).toBe(1);
    expect(again.state.count).toBe(1);
  });

  it("lets every one of several writers through, one after another", async () => {
    const key = newKey();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, (_, writer) =>
        execute(test.store, counter, key, setMode(`w${writer}`), testMeta()),
      ),
    );
    const won = outcomes.filter(({ status }) => status === "fulfilled").length;
    const { state } = await loadAggregate(test.store, counter, key);
    expect(won).toBeGreaterThan(0);
    expect(state.count).toBe(won);
  });

  it("refuses a commit that is too large and stores nothing of it", async () => {
    const key = newKey();
    const tooLarge = setMode("x".repeat(600_000));
    await expect(execute(test.store, counter, key, tooLarge, testMeta())).rejects.toMatchObject({
      code: "commit_too_large",
    });
    expect((await loadAggregate(test.store, counter, key)).position).toBeNull();
  });
});

describe("snapshots", () => {
  const fill = async (key: ReturnType<typeof newKey>, commits: number) => {
    for (let index = 0; index < commits; index += 1) {
      await execute(test.store, counter, key, setMode(`a${index}`), testMeta(`c${index}`));
    }
  };

  it("shorten the fold and change nothing of its outcome", async () => {
    const key = newKey();
    await fill(key, commitsBetweenSnapshots + 5);
    await awaitSnapshot(test.store, { ...key, aggregate: "policy" });
    const loaded = await loadAggregate(test.store, counter, key);
    expect(loaded.folded).toBeLessThan(10);
    const { snapshotVersion: _, ...withoutSnapshot } = counter;
    const whole = await loadAggregate(test.store, withoutSnapshot, key);
    expect(whole.folded).toBe(commitsBetweenSnapshots + 5);
    expect(loaded).toEqual({ ...whole, folded: loaded.folded, bytes: loaded.bytes });
    const repeated = await execute(test.store, counter, key, setMode("a0"), testMeta("c0"));
    expect(repeated.changed).toBe(false);
  });
});

describe("the hash chain", () => {
  it("holds over everything that was written, and breaks where a commit is left out", async () => {
    const key = newKey();
    for (const action of ["a", "b", "c"]) {
      await execute(test.store, counter, key, setMode(action), testMeta());
    }
    const all = await gather(readAll(test.store));
    expect(await verifyChain(replay(all))).toMatchObject({ ok: true, commits: all.length });

    const own = await gather(readAggregate(test.store, { ...key, aggregate: "policy" }));
    const cut = own.filter((_, index) => index !== 1);
    expect(await verifyChain(replay(cut))).toMatchObject({
      ok: false,
      position: own[2]?.position,
      expected: own[0]?.hash,
      named: own[1]?.hash,
    });
  });
});

async function* replay<T>(items: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
}
