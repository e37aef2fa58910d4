/** Full results are removed by a timer, which is set before they are kept. */
import type { EventStore } from "#event-store/event-store";
import { scheduleTimer, type TimerHandler } from "#event-store/timers/timers";
import type { FullResultKey, FullResultTable } from "./full-result-table.ts";

/** The kind of the timers; {@link removeExpiredResults} is its handler. */
export const fullResultExpiryTimer = "full-result-expiry";

export const scheduleRemoval = (
  store: EventStore,
  { id, attempt }: Pick<FullResultKey, "id" | "attempt">,
  at: Date,
): Promise<void> =>
  scheduleTimer(store, {
    key: `${fullResultExpiryTimer}.${id}.${attempt}`,
    at,
    kind: fullResultExpiryTimer,
    data: {},
  });

/** Removes all that is over by then: so a timer that got lost is made up for by the next one. */
export const removeExpiredResults =
  (table: Pick<FullResultTable, "removeExpired">): TimerHandler =>
  ({ dueAt }) =>
    table.removeExpired(new Date(dueAt));
