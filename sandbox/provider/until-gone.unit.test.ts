import { expect, test } from "vitest";
import { untilGone } from "./until-gone.ts";

/** A sandbox that dies without a word at a moment, in a time of its own that passes at once. */
const watch = async (
  world: { diesAt?: number; providerKnows?: boolean; awaited?: boolean; blips?: readonly number[] },
  until = 600_000,
) => {
  const { diesAt = Infinity, providerKnows = true, awaited = true, blips = [] } = world;
  const ended = new AbortController();
  const missed = new Set(blips);
  let now = 0;
  let probes = 0;
  const asked: number[] = [];
  const gone = await untilGone({
    answers: (withinMs) => {
      probes += 1;
      if (now < diesAt && !missed.delete(probes)) return Promise.resolve(true);
      now += withinMs;
      return Promise.resolve(false);
    },
    isGone: () => {
      asked.push(now);
      return Promise.resolve(providerKnows && now >= diesAt);
    },
    isAwaited: () => awaited,
    signal: ended.signal,
    clock: {
      now: () => now,
      wait: (ms) => {
        now += ms;
        if (now >= until) ended.abort();
        return Promise.resolve();
      },
    },
  });
  return { gone, now, probes, asked };
};

test.each([0, 1, 1_999, 2_001, 3_000, 123_456])(
  "a silent end at %i ms is noticed within 4 s, with one question to the provider",
  async (diesAt) => {
    const { gone, now, asked } = await watch({ diesAt });
    expect(gone).toBe(true);
    expect(now - diesAt).toBeLessThanOrEqual(4_000);
    expect(asked).toHaveLength(1);
  },
);

test("while nobody waits the server is asked a fifth as often, and the end still noticed", async () => {
  const { gone, now, probes } = await watch({ diesAt: 100_000, awaited: false });
  expect(gone).toBe(true);
  expect(now).toBeLessThanOrEqual(112_000);
  expect(probes).toBeLessThanOrEqual(13);
});

test("the provider of a sandbox that answers is never asked, also after an answer that got lost", async () => {
  const { gone, asked } = await watch({ blips: [3, 7, 20] });
  expect(gone).toBe(false);
  expect(asked).toEqual([]);
});

test("a provider that says that a silent sandbox runs is asked less and less", async () => {
  const { gone, asked } = await watch({ diesAt: 0, providerKnows: false });
  expect(gone).toBe(false);
  expect(asked.length).toBeLessThanOrEqual(13);
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(pauses[0]).toBeGreaterThanOrEqual(10_000);
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(60_000);
});

test("silence that has ended is forgotten: the next one is asked about at once", async () => {
  const { asked } = await watch({ blips: [1, 2, 4, 5] }, 60_000);
  expect(asked).toEqual([4_000, 10_000]);
});
