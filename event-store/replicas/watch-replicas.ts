import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../log.ts";
import { auditReplicas, describeAlarm, type ReplicaAudit } from "./audit-replicas.ts";

const defaultEveryMs = 60_000;
/** A replica that is late by more than an election and a node's restart is no longer merely late. */
const defaultPatienceMs = 30_000;

export interface WatchOptions {
  /** Base URLs of the monitoring of all nodes. */
  readonly monitors: readonly string[];
  readonly log: Log;
  readonly everyMs?: number;
  readonly patienceMs?: number;
}

/**
 * Compares the replicas again and again. Each alarm is logged as an error with its node and stream
 * as long as it lasts, and once when it is over.
 */
export const watchReplicas = ({
  monitors,
  log,
  everyMs = defaultEveryMs,
  patienceMs = defaultPatienceMs,
}: WatchOptions): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async (): Promise<void> => {
    let before: ReadonlySet<string> = new Set();
    for (;;) {
      const { alarms } = await auditReplicas({ monitors, patienceMs, signal });
      for (const alarm of alarms) {
        log.error({ replica: alarm }, describeAlarm(alarm));
      }
      const now = new Set(alarms.map(subjectOf));
      for (const subject of before) {
        if (!now.has(subject)) log.info({ replica: subject }, "A replica is whole again.");
      }
      before = now;
      await delay(everyMs, undefined, { signal });
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, "The replicas are not compared any more.");
  });
  return {
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};

const subjectOf = (alarm: ReplicaAudit["alarms"][number]): string =>
  alarm.kind === "unreachable"
    ? `unreachable ${alarm.monitor}`
    : `${alarm.kind} ${alarm.node} ${alarm.stream}`;
