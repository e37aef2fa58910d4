/**
 * What this process tells Prometheus of itself. Every process has every metric, whichever roles it runs, and a
 * registry of its own: nothing is global. No label holds an id of an organisation, a session or a person.
 */
import { collectDefaultMetrics, Registry } from "prom-client";
import type { StoreObserver } from "#event-store/observer";
import { type LiveMetrics, liveMetrics } from "./live-metrics.ts";
import { type RequestMetrics, requestMetrics } from "./request-metrics.ts";
import { type RunnerMetrics, runnerMetrics } from "./runner-metrics.ts";
import { storeMetrics } from "./store-metrics.ts";

export interface Metrics {
  readonly registry: Registry;
  readonly store: StoreObserver;
  readonly requests: RequestMetrics;
  readonly live: LiveMetrics;
  readonly runner: RunnerMetrics;
}

/**
 * @param ofProcess whether memory, CPU, garbage collection and the event loop are measured too, which keeps
 * observers of the runtime at work until the process ends
 */
export const openMetrics = ({ ofProcess }: { readonly ofProcess: boolean }): Metrics => {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  return {
    registry,
    store: storeMetrics(registry),
    requests: requestMetrics(registry),
    live: liveMetrics(registry),
    runner: runnerMetrics(registry),
  };
};
