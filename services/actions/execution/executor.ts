/** The reactor that carries approved invocations out, wherever and however they were approved. */
import { agentIntegration } from "#contracts/policy/agent-tools";
import type { EventStore } from "#event-store/event-store";
import { openLeases } from "#event-store/leases/leases";
import type { Log } from "#event-store/log";
import { startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import { executeInvocation } from "./execution.ts";
import type { KeepFullResult } from "../full-results/keep.ts";
import { requireRequest } from "../invocation/invocation-log.ts";
import { keyOf, reactionMeta } from "../invocation/reaction.ts";
import type { ActionRegistry } from "../sources/registry.ts";

export interface ActionExecutorOptions {
  readonly registry: ActionRegistry;
  readonly keepFullResult: KeepFullResult;
  /** Names this process among the holders of leases. */
  readonly instance: string;
  readonly log: Log;
  /** How long an action may take, in milliseconds. */
  readonly timeoutMs?: number;
}

const actionExecutor = "action-executor";

const actionTimeoutMs = 60_000;
/** How long running actions may still take when the executor is stopped. */
const graceMs = 5_000;
/** When to look again at an invocation that somebody else is at. */
const busyRetryMs = 2_000;

export const startActionExecutor = async (
  store: EventStore,
  options: ActionExecutorOptions,
): Promise<Worker> => {
  const { registry, keepFullResult, instance, log, timeoutMs = actionTimeoutMs } = options;
  const leases = await openLeases(store, "runtime");
  const stopping = new AbortController();
  const reactor = await startReactor(store, {
    name: actionExecutor,
    aggregates: ["invocation"],
    events: ["ActionApproved"],
    log,
    react: async (recorded) => {
      const request = await requireRequest(store, keyOf(recorded));
      // The session's owner lets the agent's own tools run, where they are.
      if (request.integration === agentIntegration) return;
      const newMeta = () => reactionMeta(recorded, actionExecutor);
      const deps = {
        store,
        registry,
        leases,
        keepFullResult,
        instance,
        timeoutMs,
        stopping: stopping.signal,
        newMeta,
        trace: recorded.trace,
        log,
      };
      const outcome = await executeInvocation(deps, keyOf(recorded));
      return outcome === "busy" ? { retryInMs: busyRetryMs } : undefined;
    },
  });
  return {
    stop: async () => {
      const grace = setTimeout(() => stopping.abort(new Error("The executor stops.")), graceMs);
      try {
        await reactor.stop();
      } finally {
        clearTimeout(grace);
      }
    },
  };
};
