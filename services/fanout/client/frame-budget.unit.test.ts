import { expect, it } from "vitest";
import { FrameBudget } from "./frame-budget.ts";

it("allows a burst, then so many a second, and saves up no more than a burst", () => {
  const budget = new FrameBudget({ burst: 3, perSecond: 10 }, 1_000);
  const take = (at: number, times: number) =>
    Array.from({ length: times }, () => budget.take(at)).filter(Boolean).length;
  expect(take(1_000, 5)).toBe(3);
  expect(take(1_099, 1)).toBe(0);
  expect(take(1_300, 5)).toBe(3);
  expect(take(60_000, 9)).toBe(3);
});
