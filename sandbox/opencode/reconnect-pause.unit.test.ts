import { expect, it } from "vitest";
import { reconnectPauseMs } from "./reconnect-pause.ts";

it("a server that stays away is asked less and less often, and never seldom", () => {
  expect([0, 1, 2, 3, 4, 100].map(reconnectPauseMs)).toEqual([250, 500, 1000, 2000, 2000, 2000]);
});
