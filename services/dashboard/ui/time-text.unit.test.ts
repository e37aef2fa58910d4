import { expect, it } from "vitest";
import { clock, duration, timeAgo } from "./time-text.ts";

it("says how long ago something was in the largest unit that fits, and never in the future", () => {
  const hour = 3_600_000;
  expect(timeAgo(0, 59_999)).toBe("just now");
  expect(timeAgo(0, 2 * hour - 1)).toBe("1 hour ago");
  expect(timeAgo(0, 49 * hour)).toBe("2 days ago");
  expect(timeAgo(60_000, 0)).toBe("just now");
});

it("counts down to zero and no further", () => {
  expect([3_729_000, 245_000, 4_001, 1, -5_000].map(clock)).toEqual([
    "1:02:09",
    "4:05",
    "0:05",
    "0:01",
    "0:00",
  ]);
});

it("writes durations in the unit that people read", () => {
  expect([240.4, 3_240].map(duration)).toEqual(["240 ms", "3.2 s"]);
});
