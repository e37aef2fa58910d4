import { expect, test } from "vitest";
import { countLosses } from "./losses.ts";

const inTime = () => {
  let now = 0;
  const losses = countLosses(() => now);
  /** A conversation that lasts so long, and is lost then. */
  const lose = (lastedMs: number, answering: boolean) => {
    losses.began();
    now += lastedMs;
    return losses.lost(answering);
  };
  return { losses, lose };
};

test("an agent that is lost again and again is started later each time, and given up", () => {
  const { lose } = inTime();
  const delays = [0, 0, 0].map(() => lose(5_000, false));
  expect(delays.map((after) => after.next === "restart" && after.delayMs)).toEqual([
    250, 500, 1_000,
  ]);
  expect(lose(5_000, false).next).toBe("gave_up");
});

test("a quiet minute forgives, but not a question that ends the agent each time", () => {
  const quiet = inTime();
  const asked = inTime();
  for (let round = 0; round < 3; round += 1) {
    expect(quiet.lose(60_000, false).next).toBe("restart");
    expect(asked.lose(600_000, true).next).toBe("restart");
  }
  expect(quiet.lose(60_000, false)).toMatchObject({ next: "restart", failures: 1 });
  expect(asked.lose(600_000, true).next).toBe("gave_up");
});

test("an answer forgives, and only the agent after a lost one replaces it", () => {
  const { losses, lose } = inTime();
  expect(losses.isReplacing()).toBe(false);
  lose(0, true);
  lose(0, true);
  expect(losses.isReplacing()).toBe(true);
  losses.began();
  losses.answered();
  expect(losses.isReplacing()).toBe(false);
  expect(lose(0, true)).toMatchObject({ failures: 1 });
});
