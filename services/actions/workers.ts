/** Everything that reacts to invocations; runs in the worker role. */
import type { EventStore } from "#event-store/event-store";
import type { TimerHandler } from "#event-store/timers/timers";
import type { Worker } from "#event-store/workers/worker";
import { startAlwaysAllow } from "./reactors/always-allow.ts";
import { type ActionExecutorOptions, startActionExecutor } from "./execution/executor.ts";
import { fullResultExpiryTimer, removeExpiredResults } from "./full-results/expiry.ts";
import type { FullResultTable } from "./full-results/full-result-table.ts";
import {
  expireInvocation,
  invocationExpiryTimer,
  startExpiryScheduler,
} from "./reactors/expiry.ts";
import { startLiveNotifier } from "./reactors/live-notifier.ts";

export const startActionWorkers = async (
  store: EventStore,
  options: ActionExecutorOptions,
): Promise<Worker> => {
  const { log } = options;
  const starting = [
    startActionExecutor(store, options),
    startAlwaysAllow(store, options),
    startExpiryScheduler(store, log),
    startLiveNotifier(store, log),
  ];
  const started = await Promise.allSettled(starting);
  const workers = started.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.stop()));
  };
  const failure = started.find((start) => start.status === "rejected");
  if (failure) {
    await stop();
    throw failure.reason;
  }
  return { stop };
};

/** The handlers of this domain's timers, for the timer worker. */
export const actionTimerHandlers = (
  store: EventStore,
  fullResults: FullResultTable,
): Readonly<Record<string, TimerHandler>> => ({
  [invocationExpiryTimer]: expireInvocation(store),
  [fullResultExpiryTimer]: removeExpiredResults(fullResults),
});
