/** Keeps one service as it is wanted: starts it, sees its end, starts it again or gives it up. */
import { setTimeout as delay } from "node:timers/promises";
import { isSameProcess, type ProcessRef } from "../../providers/local/processes.ts";
import { afterEnd, type RestartLimits } from "./restart-policy.ts";
import type { ServiceLog } from "./service-log.ts";
import { endProcesses, startProcess } from "./service-process.ts";
import type { ServiceSpec, ServiceState } from "./service.ts";

export interface SupervisorOptions {
  readonly spec: ServiceSpec;
  /** As it was when the sidecar last wrote it down. */
  readonly state: ServiceState;
  readonly log: ServiceLog;
  readonly marker: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: RestartLimits;
  /** Writes the state down; called after each change. */
  readonly save: () => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Its functions are called one at a time (see the manager). */
export interface Supervisor {
  readonly spec: ServiceSpec;
  readonly log: ServiceLog;
  state(): ServiceState;
  /** Starts it anew, whatever it did before. A program that cannot be started counts as one that failed. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** After a restart of the sidecar: goes on watching what runs, and starts what should. */
  recover(): Promise<void>;
  /** Lets go of it without ending it. */
  release(): void;
}

/** How often a process that another sidecar started is looked at: nobody tells us of its end. */
const watchMs = 500;
/** As a shell says that there is no such program. */
const notFound = 127;

export const supervise = (options: SupervisorOptions): Supervisor => {
  const { spec, log, limits, now } = options;
  let state = options.state;
  // Aborted when what is under way (a watch, a wait for the next try) no longer counts.
  let current = new AbortController();

  const begin = (): AbortSignal => {
    current.abort();
    current = new AbortController();
    return current.signal;
  };

  const become = async (next: Partial<ServiceState>): Promise<void> => {
    state = { ...state, ...next };
    await options.save();
  };

  /** Runs beside everything else until the run is over or no longer counts. */
  const watch = (ended: Promise<number | null>, signal: AbortSignal): void => {
    void ended
      .then((exitCode) => (signal.aborted ? undefined : onEnd(exitCode, signal)))
      .catch((error: unknown) => {
        // The state cannot be written or a process not be ended: the service is shown as what it is.
        state = { ...state, status: "error", process: null };
        return log.note(`The sidecar cannot look after this service: ${String(error)}`);
      })
      .catch(() => undefined); // The disk is full: there is nowhere left to say it.
  };

  const onEnd = async (exitCode: number | null, signal: AbortSignal): Promise<void> => {
    const lastedMs = now() - (state.startedAt ?? now());
    const run = { exitCode, lastedMs, failuresBefore: state.failures };
    const after = afterEnd(spec.restart, run, limits);
    const how = exitCode === null ? "was ended by a signal" : `ended with exit code ${exitCode}`;
    const ended = { process: null, exitCode } as const;
    // The state changes before anything is waited for: a stop that comes meanwhile has the last word.
    if (after.next === "stopped") {
      await become({ ...ended, status: "stopped", failures: 0 });
      await log.note(`${spec.name} ${how}.`);
    } else if (after.next === "gave_up") {
      await become({ ...ended, status: "error", failures: after.failures });
      await log.note(`${spec.name} ${how}, ${after.failures} failures in a row: given up.`);
    } else {
      await become({ ...ended, status: "restarting", failures: after.failures });
      await log.note(`${spec.name} ${how}; next try in ${after.delayMs} ms.`);
      await waitAndRun(after.delayMs, signal);
    }
  };

  const waitAndRun = async (delayMs: number, signal: AbortSignal): Promise<void> => {
    // Aborted means stopped or started by somebody: the wait is over either way.
    await delay(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted) await run(signal);
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    await endProcesses(options.marker);
    if (signal.aborted) return;
    // Written first: should this process die now, the next one finds what it started by its marker.
    await become({ status: "running", process: null, startedAt: now() });
    if (signal.aborted) return;
    const started = await startProcess(options).catch(async (error: unknown) => {
      await log.note(`${spec.name} cannot be started: ${String(error)}`);
      return null;
    });
    if (signal.aborted) return endProcesses(options.marker);
    watch(started?.exited ?? Promise.resolve(notFound), signal);
    if (started !== null) await become({ process: started.process });
  };

  return {
    spec,
    log,
    state: () => state,
    start: async () => {
      const signal = begin();
      await become({ failures: 0, exitCode: null });
      await run(signal);
    },
    stop: async () => {
      begin();
      await endProcesses(options.marker);
      await become({ status: "stopped", process: null, failures: 0 });
    },
    recover: async () => {
      if (state.status === "stopped" || state.status === "error") return;
      const signal = begin();
      if (state.process !== null && (await isSameProcess(state.process))) {
        watch(endOf(state.process, signal), signal);
      } else if (spec.owner === "sandbox") {
        // The configuration of today says whether and how it is to run.
        await become({ status: "stopped", process: null });
      } else {
        await run(signal);
      }
    },
    release: () => current.abort(),
  };
};

const endOf = async (ref: ProcessRef, signal: AbortSignal): Promise<null> => {
  while (!signal.aborted && (await isSameProcess(ref))) {
    // Aborted: nobody is interested any more.
    await delay(watchMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return null;
};
