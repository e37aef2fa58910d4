import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { append, ConcurrencyConflict, type NewCommit } from "./append.ts";
import { connectToNats } from "../connection.ts";
import { type EventStore, openEventStore } from "../event-store.ts";
import { execute } from "../aggregates/execute.ts";
import { readAggregate } from "../reading/read-aggregate.ts";
import type { RecordedCommit } from "../reading/recorded.ts";
import { counter, setMode, testMeta } from "../testing/counter.ts";
import { type CuttingProxy, openCuttingProxy, type Verdict } from "../testing/cutting-proxy.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";
import { verifyChain } from "../reading/verify-chain.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore();
});
afterAll(() => test.close());

const newKey = () => ({ organization: newId("organization"), id: newId("policy") });

/** What the log holds of an aggregate, read on a connection that nobody cuts. */
const commitsOf = async (key: ReturnType<typeof newKey>): Promise<readonly RecordedCommit[]> => {
  const commits: RecordedCommit[] = [];
  for await (const commit of readAggregate(test.store, { ...key, aggregate: "policy" })) {
    commits.push(commit);
  }
  return commits;
};

/** Gives the work a store whose connection can be cut. */
const throughProxy = async <T>(
  work: (store: EventStore, proxy: CuttingProxy) => Promise<T>,
): Promise<T> => {
  await using proxy = await openCuttingProxy(test.url);
  const connection = await connectToNats({ url: proxy.url, name: "cut" });
  try {
    return await work(await openEventStore({ connection, durability: test.durability }), proxy);
  } finally {
    await connection.close();
  }
};

describe("a command whose connection is cut", () => {
  /** Cuts once, at the n-th piece that passes in any direction from now on. */
  const cutAt = (proxy: CuttingProxy, place: number, how: Verdict): (() => boolean) => {
    let passed = 0;
    proxy.judge = () => (++passed === place ? how : "pass");
    return () => passed >= place;
  };

  // Loading and publishing: a request and an answer each, at the least. What is kept is only published.
  it.each([
    ["lost", "read", 4],
    ["delivered", "read", 4],
    ["lost", "kept", 2],
    ["delivered", "kept", 2],
  ] as const)(
    "at any request or answer, which is %s, on an aggregate that was %s, is in the log once",
    async (how, known, least) => {
      const places = Array.from({ length: 10 }, (_, index) => index + 1);
      const outcomes = await Promise.all(
        places.map((place) =>
          throughProxy(async (store, proxy) => {
            const key = newKey();
            const first = known === "kept" ? store : test.store;
            await execute(first, counter, key, setMode("first"), testMeta());
            const wasCut = cutAt(proxy, place, how);
            const { position } = await execute(store, counter, key, setMode("a"), testMeta("c"));
            const commits = await commitsOf(key);
            expect(commits.map(({ commit }) => commit.meta.commandId).slice(1)).toEqual(["c"]);
            expect(position).toBe(commits[1]?.position);
            return wasCut();
          }),
        ),
      );
      expect(outcomes.filter(Boolean).length).toBeGreaterThanOrEqual(least);
    },
  );

  it("is found even if somebody else has appended since its answer was lost", async () => {
    const key = newKey();
    const outcome = await throughProxy(async (store, proxy) => {
      await execute(store, counter, key, setMode("first"), testMeta());
      let open: () => void = () => undefined;
      let answerLost: () => void = () => undefined;
      const lost = new Promise<void>((resolve) => (answerLost = resolve));
      proxy.judge = (direction, piece) => {
        if (direction === "to_server" || !piece.includes('"stream":"EVENTS_0"')) return "pass";
        proxy.judge = () => "pass";
        proxy.gate = new Promise((resolve) => (open = resolve));
        answerLost();
        return "lost";
      };
      const executing = execute(store, counter, key, setMode("mine"), testMeta("mine"));
      await lost;
      await execute(test.store, counter, key, setMode("theirs"), testMeta("theirs"));
      open();
      return executing;
    });
    const commits = await commitsOf(key);
    expect(commits.map(({ commit }) => commit.meta.commandId).slice(1)).toEqual(["mine", "theirs"]);
    expect(outcome.position).toBe(commits[1]?.position);
    // One copy looks at the expected sequence first, and the command is found in the newer state;
    // three copies look at the id first, and say that this one was stored.
    expect(outcome.state.actions.slice(0, 2)).toEqual(["first", "mine"]);
  });
});

describe("the expected version of an append", () => {
  const newRef = () => ({ ...newKey(), aggregate: "policy" }) as const;
  const commitNamed = (commandId: string): NewCommit => ({
    v: 1,
    events: [{ id: newId("event"), type: "ActionModeSet", v: 1, data: {} }],
    meta: testMeta(commandId),
  });
  const commandsOf = async (ref: ReturnType<typeof newRef>) =>
    (await commitsOf(ref)).map(({ commit }) => commit.meta.commandId);

  it("lets one append follow each version", async () => {
    const ref = newRef();
    const first = await append(test.store, ref, commitNamed("1"), { expected: "new" });
    const second = await append(test.store, ref, commitNamed("2"), { expected: first });
    for (const expected of ["new", first] as const) {
      await expect(append(test.store, ref, commitNamed("late"), { expected })).rejects.toThrow(
        ConcurrencyConflict,
      );
    }
    await append(test.store, ref, commitNamed("3"), { expected: second });
    expect(await commandsOf(ref)).toEqual(["1", "2", "3"]);
  });

  it("may be any: every writer at once is in the log, once, in one chain", async () => {
    const ref = newRef();
    const commands = Array.from({ length: 8 }, (_, index) => `c${index}`);
    const appended = await Promise.all(
      commands.map((command) => append(test.store, ref, commitNamed(command), { expected: "any" })),
    );
    const again = await append(test.store, ref, commitNamed("c0"), { expected: "any" });
    expect(again).toMatchObject({ sequence: appended[0]?.sequence, recordedBefore: true });
    expect((await commandsOf(ref)).toSorted()).toEqual(commands);
    const chain = await verifyChain(readAggregate(test.store, ref));
    expect(chain).toEqual({ ok: true, commits: 8, aggregates: 1 });
  });
});
