import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AggregateType } from "#contracts/commit";
import { derivedId, newId } from "#contracts/ids";
import { append } from "../append/append.ts";
import type { CommandMeta } from "../command-meta.ts";
import { execute } from "../aggregates/execute.ts";
import { parsePosition } from "../position.ts";
import { newOrganizationIn } from "../testing/organization-in.ts";
import { counter, setMode, testMeta } from "../testing/counter.ts";
import { openTestEventStore, type TestEventStore } from "../testing/test-event-store.ts";
import { findCommits, traceCauses } from "./causes.ts";
import { type HistoryQuery, readHistory } from "./history.ts";
import { type Fold, findAggregate, stateAt } from "./state-at.ts";
import type { StoredCommit } from "./stored-commits.ts";

let test: TestEventStore;
beforeAll(async () => {
  test = await openTestEventStore({ shards: 3 });
});
afterAll(() => test.close());

const keyIn = (organization: string) => ({ organization, id: newId("policy") });
const write = (
  key: ReturnType<typeof keyIn>,
  action: string,
  meta: Partial<CommandMeta> = {},
): Promise<{ readonly position: string }> =>
  execute(test.store, counter, key, setMode(action), { ...testMeta(), ...meta });

const gather = async (query: HistoryQuery): Promise<readonly StoredCommit[]> => {
  const gathered: StoredCommit[] = [];
  for await (const stored of readHistory(test.store, query)) gathered.push(stored);
  return gathered;
};
const positionsOf = (commits: readonly StoredCommit[]): readonly string[] =>
  commits.map(({ position }) => position);

describe("the history", () => {
  it("is in order of storage over all shards, and of position within each", async () => {
    const keys = [0, 1, 2].map((shard) => newOrganizationIn(shard, 3)).map(keyIn);
    const written: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (const key of keys) written.push((await write(key, `a${round}`)).position);
    }
    const wanted = new Set(keys.map(({ organization }) => organization));
    const all = await gather({});
    expect(positionsOf(all.filter(({ ref }) => wanted.has(ref.organization)))).toEqual(written);
    expect(positionsOf(await gather({ limit: 4 }))).toEqual(written.slice(-4));
    expect(await gather({ limit: 0 })).toEqual([]);
  });

  it("is narrowed down by organisation, aggregate, actor, type and time", async () => {
    const organization = newOrganizationIn(1, 3);
    const [mine, other] = [keyIn(organization), keyIn(organization)];
    const user = { kind: "user", id: newId("user"), via: "http" } as const;
    const one = await write(mine, "a");
    const two = await write(mine, "b", { actor: user });
    const three = await write(other, "c", { actor: user });
    const four = await write(mine, "d");
    const all = [one, two, three, four].map(({ position }) => position);
    const aggregate = { type: null, id: mine.id };

    expect(positionsOf(await gather({ organization }))).toEqual(all);
    expect(positionsOf(await gather({ aggregate }))).toEqual([all[0], all[1], all[3]]);
    expect(await gather({ organization: newOrganizationIn(1, 3), aggregate })).toEqual([]);
    expect(positionsOf(await gather({ actor: user.id }))).toEqual([all[1], all[2]]);
    expect(positionsOf(await gather({ actor: `user:${user.id}`, aggregate }))).toEqual([all[1]]);
    expect(await gather({ organization, actor: "timer" })).toEqual([]);
    expect(await gather({ organization, types: ["ActionModeSet"] })).toHaveLength(4);
    expect(await gather({ organization, types: ["SessionCreated"] })).toEqual([]);

    const [, second] = await gather({ organization });
    const at = second?.storedAt ?? expect.unreachable();
    const since = await gather({ organization, since: at });
    const until = await gather({ organization, until: at });
    expect(positionsOf(since)).toContain(all[1]);
    expect([...positionsOf(until), ...positionsOf(since)]).toEqual(all);
    expect(await gather({ since: new Date(Date.now() + 60_000) })).toEqual([]);
  });

  it("goes on with what comes, from every shard, without a commit left out or told twice", async () => {
    const keys = [0, 2].map((shard) => newOrganizationIn(shard, 3)).map(keyIn);
    const actor = { kind: "user", id: newId("user"), via: "http" } as const;
    const before = await write(keys[0] ?? expect.unreachable(), "a", { actor });
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { position } of readHistory(test.store, {
        actor: actor.id,
        follow: stop.signal,
      })) {
        seen.push(position);
      }
    })();
    await vi.waitFor(() => expect(seen).toEqual([before.position]), { timeout: 30_000 });
    const after: string[] = [];
    for (const key of [...keys, ...keys]) after.push((await write(key, "b", { actor })).position);
    await vi.waitFor(() => expect(seen).toHaveLength(5), { timeout: 30_000 });
    expect(seen.toSorted()).toEqual([before.position, ...after].toSorted());
    stop.abort();
    await reading;
  });
});

describe("causes and effects", () => {
  it("are linked by commands, events and prompts, and found by every name", async () => {
    const organization = newOrganizationIn(0, 3);
    const ref = (aggregate: AggregateType, id: string) => ({ organization, aggregate, id });
    const promptId = newId("prompt");
    const session = newId("session");
    const put = (
      aggregate: ReturnType<typeof ref>,
      event: { readonly type: string; readonly data: Record<string, unknown> },
      causationId: string | null,
    ) => {
      const id = newId("event");
      const commandId = newId("command");
      const meta = { ...testMeta(commandId), causationId };
      const commit = { v: 1, events: [{ id, v: 1, ...event }], meta } as const;
      return append(test.store, aggregate, commit, { expected: "new" }).then(
        ({ shard, sequence }) => ({ id, commandId, position: `${shard}:${sequence}` }),
      );
    };
    const matched = await put(ref("run", newId("run")), { type: "TriggerMatched", data: {} }, null);
    const asked = await put(
      ref("session", session),
      { type: "PromptQueued", data: { promptId } },
      matched.commandId,
    );
    const unrelated = await put(
      ref("run", newId("run")),
      { type: "TriggerMatched", data: {} },
      null,
    );
    const answered = await put(
      ref("transcript", session),
      { type: "MessageRecorded", data: {} },
      promptId,
    );
    const invoked = await put(
      ref("invocation", newId("invocation")),
      { type: "ActionInvoked", data: {} },
      answered.id,
    );

    for (const name of [asked.position, asked.id, asked.commandId]) {
      expect(positionsOf(await findCommits(test.store, name))).toEqual([asked.position]);
    }
    const [found] = await findCommits(test.store, asked.id, { organization });
    const traced = await traceCauses(test.store, found ?? expect.unreachable());
    expect(positionsOf(traced.causes)).toEqual([matched.position]);
    const [effect, ...others] = traced.effects;
    expect(others).toEqual([]);
    expect(effect?.stored.position).toBe(answered.position);
    expect(effect?.effects.map(({ stored }) => stored.position)).toEqual([invoked.position]);

    const [leaf] = await findCommits(test.store, invoked.position);
    const up = await traceCauses(test.store, leaf ?? expect.unreachable());
    expect(positionsOf(up.causes)).toEqual([matched.position, asked.position, answered.position]);
    const [alone] = await findCommits(test.store, unrelated.position);
    expect(await traceCauses(test.store, alone ?? expect.unreachable())).toMatchObject({
      causes: [],
      effects: [],
    });
  });

  it("are those of every commit of a command", async () => {
    const organization = newOrganizationIn(2, 3);
    const commandId = derivedId("command", organization);
    const written = [
      await write(keyIn(organization), "a", { commandId }),
      await write(keyIn(organization), "b", { commandId }),
    ];
    expect(positionsOf(await findCommits(test.store, commandId))).toEqual(
      written.map(({ position }) => position),
    );
  });

  it.each(["0:999999", "9:1", newId("event")])("knows nothing of %s", async (name) => {
    await expect(findCommits(test.store, name)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the state at a moment", () => {
  const { initialState, evolve } = counter.decider;
  const fold: Fold = { initialState, evolve: evolve as Fold["evolve"] };
  const folds = {
    session: fold,
    transcript: fold,
    invocation: fold,
    policy: fold,
    integration: fold,
    connector: fold,
    trigger: fold,
    run: fold,
    tool_calls: fold,
    configuration: fold,
    service_token: fold,
    rule: fold,
    organization: fold,
  };

  it("is folded from the commits up to it, whatever snapshots say", async () => {
    const key = keyIn(newOrganizationIn(1, 3));
    const positions: string[] = [];
    for (const action of ["a", "b", "c"]) positions.push((await write(key, action)).position);
    const ref = await findAggregate(test.store, { type: null, id: key.id });
    expect(ref).toEqual({ ...key, aggregate: "policy" });

    const at = (text: string) => {
      const point = { kind: "position", ...parsePosition(text) } as const;
      return stateAt(test.store, folds, { ref, point });
    };
    expect((await at(positions[0] ?? "")).state).toEqual({ count: 1, actions: ["a"] });
    expect(await at(positions[1] ?? "")).toMatchObject({
      commits: 2,
      state: { actions: ["a", "b"] },
      last: { position: positions[1] },
    });
    const now = await stateAt(test.store, folds, { ref, point: null });
    expect(now.state).toEqual({ count: 3, actions: ["a", "b", "c"] });
    await expect(at("0:1")).rejects.toMatchObject({ code: "request_malformed" });

    const [first] = await gather({ aggregate: { type: null, id: key.id } });
    const born = first?.storedAt ?? expect.unreachable();
    const asOf = (time: Date) =>
      stateAt(test.store, folds, { ref, point: { kind: "time", at: time } });
    expect(await asOf(new Date(born.getTime() - 1))).toMatchObject({
      state: initialState(),
      last: null,
    });
    expect((await asOf(born)).commits).toBeGreaterThan(0);
    expect(await asOf(new Date(Date.now() + 60_000))).toEqual(now);
  });

  it("is of the aggregate that is meant, or asks which", async () => {
    const id = newId("policy");
    const [one, other] = [newOrganizationIn(0, 3), newOrganizationIn(2, 3)];
    await write({ organization: one, id }, "a");
    await write({ organization: other, id }, "b");
    const selector = { type: null, id };
    await expect(findAggregate(test.store, selector)).rejects.toMatchObject({
      code: "request_malformed",
    });
    expect(await findAggregate(test.store, selector, other)).toMatchObject({ organization: other });
    await expect(findAggregate(test.store, { type: "session", id }, other)).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
