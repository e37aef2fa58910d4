import { expect, it } from "vitest";
import { type FreshnessFacts, shouldPullOnRestore } from "./freshness-policy.ts";

const hourAgo: FreshnessFacts = {
  policy: { cadenceSeconds: 3600 },
  kept: true,
  repositories: 1,
  lastGitFetchAt: 0,
  now: 3_600_000,
};

it.each<[string, Partial<FreshnessFacts>, boolean]>([
  ["the cadence has passed", {}, true],
  ["it has not", { now: 3_599_999 }, false],
  ["every time is wanted", { policy: { cadenceSeconds: 0 }, now: 0 }, true],
  ["nobody knows when it was last done", { lastGitFetchAt: null, now: 0 }, true],
  ["it is not wanted", { policy: undefined }, false],
  ["the clone is new", { kept: false }, false],
  ["there is nothing to pull", { repositories: 0 }, false],
])("pulls when %s: %j → %s", (_, facts, expected) => {
  expect(shouldPullOnRestore({ ...hourAgo, ...facts })).toBe(expected);
});
