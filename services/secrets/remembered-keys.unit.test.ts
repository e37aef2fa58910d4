import { createSecretKey, randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newId } from "#contracts/ids";
import type { DataKey, TextOwner } from "#event-store/sealing/data-keys";
import { rememberKeys } from "./remembered-keys.ts";

const lifetimeMs = 10_000;
const organization = newId("organization");

/** Keys that are there from the beginning, and who is asked for them. */
const openSource = (count: number) => {
  const owners = Array.from({ length: count }, () => ({ organization, owner: newId("session") }));
  const keys = new Map<string, DataKey>(
    owners.map(({ owner }) => [owner, { id: owner, secret: createSecretKey(randomBytes(32)) }]),
  );
  const asked: (readonly string[])[] = [];
  const state = { isAway: false };
  const find = (wanted: readonly TextOwner[]): Promise<readonly (DataKey | null)[]> => {
    asked.push(wanted.map(({ owner }) => owner));
    if (state.isAway) return Promise.reject(new Error("The database is away."));
    return Promise.resolve(wanted.map(({ owner }) => keys.get(owner) ?? null));
  };
  const findOrMake = async (owner: TextOwner) => (await find([owner]))[0] ?? null;
  const remembered = rememberKeys({ lifetimeMs, find, findOrMake });
  return {
    ...{ owners, keys, asked, state, remembered },
    useAll: async () => {
      const used = await Promise.all(owners.map((owner) => remembered.toSeal(owner)));
      // What is asked for early has been answered by then.
      await turn();
      await turn();
      return used.map((key) => key?.id ?? null);
    },
  };
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("keys in use are asked for again together, while they may still be used", async () => {
  const { owners, asked, useAll } = openSource(3);
  const ids = owners.map(({ owner }) => owner);
  expect(await useAll()).toEqual(ids);
  expect(asked).toEqual(ids.map((id) => [id]));
  vi.advanceTimersByTime(lifetimeMs * 0.4);
  await useAll();
  expect(asked).toHaveLength(3);
  for (let round = 1; round <= 4; round += 1) {
    vi.advanceTimersByTime(lifetimeMs * 0.55);
    expect(await useAll()).toEqual(ids);
    expect(asked.slice(3)).toEqual(Array.from({ length: round }, () => ids));
  }
});

it("a key that nobody uses is asked for when it is needed", async () => {
  const { asked, useAll } = openSource(1);
  await useAll();
  vi.advanceTimersByTime(lifetimeMs);
  expect(asked).toHaveLength(1);
  await useAll();
  expect(asked).toHaveLength(2);
});

it("a key that was erased is used no more once that is seen", async () => {
  const { keys, useAll } = openSource(1);
  await useAll();
  keys.clear();
  vi.advanceTimersByTime(lifetimeMs * 0.6);
  expect(await useAll()).not.toEqual([null]);
  expect(await useAll()).toEqual([null]);
});

it("what this process forgets meanwhile does not come back", async () => {
  const { keys, remembered, owners, useAll } = openSource(1);
  const [owner] = owners;
  if (!owner) throw new Error("There is one.");
  await useAll();
  vi.advanceTimersByTime(lifetimeMs * 0.6);
  await remembered.toSeal(owner);
  const early = turn();
  keys.clear();
  remembered.forget();
  await early;
  expect(await useAll()).toEqual([null]);
});

it("a key may be used to the end of its lifetime while the database is away, which then is told", async () => {
  const { asked, state, useAll, owners } = openSource(2);
  const ids = owners.map(({ owner }) => owner);
  await useAll();
  state.isAway = true;
  vi.advanceTimersByTime(lifetimeMs * 0.6);
  for (let use = 0; use < 5; use += 1) expect(await useAll()).toEqual(ids);
  expect(asked, "one attempt a second").toHaveLength(3);
  vi.advanceTimersByTime(lifetimeMs * 0.39);
  expect(await useAll()).toEqual(ids);
  expect(asked).toHaveLength(4);
  vi.advanceTimersByTime(lifetimeMs * 0.02);
  await expect(useAll()).rejects.toThrow("away");
});
