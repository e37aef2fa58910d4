import { expect, it } from "vitest";
import { currentStatus, isWatchable } from "./session-status.ts";

it("shows what the live channel says, except that a stopped session stays stopped", () => {
  expect(currentStatus("pending", "running")).toBe("running");
  expect(currentStatus("paused", null)).toBe("paused");
  expect(currentStatus("stopped", "running")).toBe("stopped");
});

it("does not open the live channel of a paused session, which would resume it", () => {
  expect(isWatchable("paused")).toBe(false);
  expect(isWatchable("stopped")).toBe(false);
  expect(isWatchable("pending")).toBe(true);
});
