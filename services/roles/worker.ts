import { watchReplicas } from "#event-store/replicas/watch-replicas";
import { startTimerWorker } from "#event-store/timers";
import { actionTimerHandlers, startActionWorkers } from "../actions/workers.ts";
import type { ActionRegistry } from "../actions/registry.ts";
import { startRunOpener } from "../automations/run-opener.ts";
import type { Platform } from "../platform.ts";
import { type Running, runningStack } from "../running.ts";
import { startTriggerWorker } from "../triggers/worker.ts";

/** Does what commits, deliveries and timers ask for: executes actions, matches triggers, opens runs. */
export const startWorkerRole = async (
  { store, log, instance, config }: Platform,
  registry: ActionRegistry,
): Promise<Running> => {
  const started = runningStack();
  try {
    started.add(await startActionWorkers(store, { registry, instance, log }));
    started.add(await startTimerWorker(store, { handlers: actionTimerHandlers(store), log }));
    started.add(await startTriggerWorker(store, { log }));
    started.add(await startRunOpener({ store, log, defaultModel: config.MODEL }));
    if (config.NATS_MONITORS !== undefined) {
      started.add(watchReplicas({ monitors: config.NATS_MONITORS, log }));
    }
    return started;
  } catch (error) {
    await started.stop();
    throw error;
  }
};
