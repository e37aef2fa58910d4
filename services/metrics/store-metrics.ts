import { Counter, Histogram, type Registry } from "prom-client";
import { aggregateTypes } from "#contracts/commit";
import { leaseTtlMs } from "#event-store/leases/leases";
import type { StoreObserver } from "#event-store/observer";
import { codeOf } from "../tracing/code-of.ts";
import { invocationMetrics } from "./invocation-metrics.ts";

/** From an append that nobody syncs to one that waits for a new leader, in seconds. */
const appendBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15,
];

/** What the log does in this process. */
export const storeMetrics = (registry: Registry): StoreObserver => {
  const registers = [registry];
  const appends = new Histogram({
    name: "proliferate_append_duration_seconds",
    help: "Time that appending a commit took, until it was stored.",
    buckets: appendBuckets,
    registers,
  });
  const events = new Counter({
    name: "proliferate_events_total",
    help: "Events that this process has appended.",
    labelNames: ["type"],
    registers,
  });
  const conflicts = new Counter({
    name: "proliferate_append_conflicts_total",
    help: "Appends that lost a race for their aggregate.",
    labelNames: ["aggregate"],
    registers,
  });
  const failures = new Counter({
    name: "proliferate_append_failures_total",
    help: "Appends that failed for another reason, by the code of the error.",
    labelNames: ["code"],
    registers,
  });
  const messageFailures = new Counter({
    name: "proliferate_message_failures_total",
    help: "Times that a worker could not handle a message.",
    labelNames: ["worker"],
    registers,
  });
  const leaseLosses = new Counter({
    name: "proliferate_lease_losses_total",
    help: "Leases that ended without being given back.",
    labelNames: ["kind"],
    registers,
  });
  // What has never been seen cannot be seen to grow.
  for (const aggregate of aggregateTypes) conflicts.inc({ aggregate }, 0);
  for (const kind of Object.keys(leaseTtlMs)) leaseLosses.inc({ kind }, 0);
  const countInvocation = invocationMetrics(registry);
  return {
    appended: (stored, ms) => {
      appends.observe(ms / 1_000);
      for (const event of stored) {
        events.inc({ type: event.type });
        countInvocation(event);
      }
    },
    conflicted: (aggregate) => conflicts.inc({ aggregate }),
    appendFailed: (error) => failures.inc({ code: codeOf(error) }),
    messageFailed: (worker) => messageFailures.inc({ worker }),
    leaseLost: (kind) => leaseLosses.inc({ kind }),
  };
};
