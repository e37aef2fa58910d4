import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DomainError } from "#contracts/errors";
import { renewEvery } from "./renewals.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("sandboxes are renewed until they are dropped, gone, or nobody is there", async () => {
  const failures = new Map<string, DomainError>();
  const renewed: string[] = [];
  const renewals = renewEvery(1_000, (id) => {
    renewed.push(id);
    const failure = failures.get(id);
    return failure ? Promise.reject(failure) : Promise.resolve();
  });
  const renewedInASecond = async () => {
    renewed.length = 0;
    await vi.advanceTimersByTimeAsync(1_000);
    return renewed.toSorted();
  };
  for (const id of ["dropped", "failing", "gone", "kept", "kept"]) renewals.keep(id);
  failures.set("failing", new DomainError("sandbox_unavailable", "Busy."));
  failures.set("gone", new DomainError("sandbox_not_found", "Paused."));
  expect(await renewedInASecond()).toEqual(["dropped", "failing", "gone", "kept"]);
  renewals.drop("dropped");
  expect(await renewedInASecond()).toEqual(["failing", "kept"]);
  renewals.close();
  expect(await renewedInASecond()).toEqual([]);
});
