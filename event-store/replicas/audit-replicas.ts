import { setTimeout as delay } from "node:timers/promises";
import { compareReplicas, furthestOf, type ReplicaAlarm } from "./compare-replicas.ts";
import { type NodeReading, readNode } from "./read-node.ts";

const pollMs = 200;

export interface ReplicaAudit {
  readonly readings: readonly NodeReading[];
  readonly alarms: readonly (ReplicaAlarm | UnreachableNode)[];
}

/** A node that did not answer; of its replicas nothing is known. */
export interface UnreachableNode {
  readonly kind: "unreachable";
  readonly monitor: string;
}

export interface AuditOptions {
  /** Base URLs of the monitoring of all nodes. */
  readonly monitors: readonly string[];
  /** How long a replica may take to come as far as the furthest one was when the audit began. */
  readonly patienceMs: number;
  /** Readings of before: the replicas must come as far as those had, too. */
  readonly atLeast?: readonly NodeReading[];
  /** Which alarms are worth waiting for; without it, any. */
  readonly isSettled?: (alarms: ReplicaAudit["alarms"]) => boolean;
  readonly signal?: AbortSignal;
}

/**
 * Compares every replica of every event stream. Commits may be appended meanwhile: each replica must
 * come as far as the furthest one was at the beginning, and be without a hole.
 */
export const auditReplicas = async ({
  monitors,
  patienceMs,
  atLeast = [],
  isSettled = (alarms) => alarms.length === 0,
  signal,
}: AuditOptions): Promise<ReplicaAudit> => {
  const deadline = performance.now() + patienceMs;
  const furthest = furthestOf([...(await readNodes(monitors)).readings, ...atLeast]);
  for (;;) {
    const { readings, unreachable } = await readNodes(monitors);
    const alarms = [...compareReplicas(readings, furthest), ...unreachable];
    if (isSettled(alarms) || performance.now() >= deadline) {
      return { readings, alarms };
    }
    await delay(pollMs, undefined, signal === undefined ? {} : { signal });
  }
};

const readNodes = async (
  monitors: readonly string[],
): Promise<{
  readonly readings: readonly NodeReading[];
  readonly unreachable: readonly UnreachableNode[];
}> => {
  const outcomes = await Promise.allSettled(monitors.map(readNode));
  return {
    readings: outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    ),
    unreachable: outcomes.flatMap((outcome, index) => {
      const monitor = monitors[index];
      return outcome.status === "rejected" && monitor !== undefined
        ? [{ kind: "unreachable" as const, monitor }]
        : [];
    }),
  };
};

/** One sentence for a person. */
export const describeAlarm = (alarm: ReplicaAlarm | UnreachableNode): string => {
  switch (alarm.kind) {
    case "holes":
      return `${alarm.node} holds ${alarm.messages} of ${alarm.expected} messages of ${alarm.stream}: it is damaged.`;
    case "behind":
      return `${alarm.node} has ${alarm.stream} up to ${alarm.lastSequence}, another node up to ${alarm.furthest}.`;
    case "missing":
      return `${alarm.node} should hold a replica of ${alarm.stream}; none was seen.`;
    case "unreachable":
      return `The node at ${alarm.monitor} does not answer.`;
  }
};
