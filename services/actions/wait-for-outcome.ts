import { setTimeout as delay } from "node:timers/promises";
import { finalInvocationStatuses } from "#contracts/invocation/status";
import type { EventStore } from "#event-store/event-store";
import {
  type InvocationKey,
  type RecordedInvocation,
  requireInvocation,
} from "./invocation-log.ts";

const firstPauseMs = 20;
const longestPauseMs = 250;

/**
 * Waits until an approved invocation has come to its end, or the time is over; answers how it stands
 * then. One that waits for a person is answered at once.
 */
export const waitForOutcome = async (
  store: EventStore,
  key: InvocationKey,
  timeoutMs: number,
): Promise<RecordedInvocation> => {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const found = await requireInvocation(store, key);
    const { status } = found.state;
    const settled = status === "pending" || finalInvocationStatuses.includes(status);
    if (settled || performance.now() >= deadline) return found;
    await delay(pauseMs);
  }
};
