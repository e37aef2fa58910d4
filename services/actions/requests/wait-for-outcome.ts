import { finalInvocationEvents, finalInvocationStatuses } from "#contracts/invocation/status";
import type { EventStore } from "#event-store/event-store";
import { watchAggregate } from "#event-store/reading/watch-aggregate";
import { createBell } from "../../runner/bell.ts";
import {
  type InvocationKey,
  type RecordedInvocation,
  recallInvocation,
  requireInvocation,
} from "../invocation/invocation-log.ts";

/** After a nudge, which may come a moment before its commit can be read, in milliseconds. */
const shortestPauseMs = 5;
/** Nudges may get lost, and what came before the watching began brings none. */
const firstPauseMs = 50;
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
  const bell = createBell();
  let pauseMs = firstPauseMs;
  const watching = watchAggregate(
    store,
    { ...key, aggregate: "invocation" },
    {
      events: finalInvocationEvents,
      onNudge: () => {
        pauseMs = shortestPauseMs;
        bell.ring();
      },
    },
  );
  try {
    for (let read = recallInvocation; ; read = requireInvocation) {
      const found = await read(store, key);
      const { status } = found.state;
      const settled = status === "pending" || finalInvocationStatuses.includes(status);
      if (settled || performance.now() >= deadline) return found;
      const pause = pauseMs;
      pauseMs = Math.min(2 * pause, longestPauseMs);
      await bell.wait(AbortSignal.timeout(pause));
    }
  } finally {
    watching.stop();
  }
};
