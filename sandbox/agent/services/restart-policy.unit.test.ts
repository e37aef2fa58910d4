import { expect, test } from "vitest";
import { afterEnd, type AfterEnd } from "./restart-policy.ts";

const limits = { firstDelayMs: 10, longestDelayMs: 50, giveUpAfter: 5, stableAfterMs: 1_000 };
const failed = { exitCode: 1, lastedMs: 5, failuresBefore: 0 };

test("waits twice as long after each failure, up to a limit, and then gives up", () => {
  const seen: AfterEnd[] = [];
  for (let failuresBefore = 0; failuresBefore < 5; failuresBefore += 1) {
    seen.push(afterEnd("on_failure", { ...failed, failuresBefore }, limits));
  }
  expect(seen).toEqual([
    { next: "restart", delayMs: 10, failures: 1 },
    { next: "restart", delayMs: 20, failures: 2 },
    { next: "restart", delayMs: 40, failures: 3 },
    { next: "restart", delayMs: 50, failures: 4 },
    { next: "gave_up", failures: 5 },
  ]);
});

test("a run that lasted forgives the failures before it", () => {
  const run = { exitCode: null, lastedMs: 1_000, failuresBefore: 4 };
  expect(afterEnd("always", run, limits)).toEqual({ next: "restart", delayMs: 10, failures: 1 });
});

test("a program that ends without an error is started again only if it always has to run", () => {
  const run = { ...failed, exitCode: 0 };
  expect(afterEnd("on_failure", run, limits)).toEqual({ next: "stopped" });
  expect(afterEnd("always", run, limits)).toMatchObject({ next: "restart" });
  expect(afterEnd("never", failed, limits)).toEqual({ next: "gave_up", failures: 1 });
});
