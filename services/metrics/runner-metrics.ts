import { Gauge, Histogram, type Registry } from "prom-client";
import type { StageReport } from "#sandbox/provider/provider";

export interface RunnerMetrics {
  /** Has it asked how many sessions this process owns whenever somebody collects. */
  countOwned(owned: () => number): void;
  bootStage(provider: string, report: StageReport): void;
}

/** What runners do with sessions and sandboxes. */
export const runnerMetrics = (registry: Registry): RunnerMetrics => {
  const registers = [registry];
  let owned = (): number => 0;
  const sessions: Gauge = new Gauge({
    name: "proliferate_owned_sessions",
    help: "Sessions that this process owns.",
    registers,
    collect: (): void => sessions.set(owned()),
  });
  const stages = new Histogram({
    name: "proliferate_sandbox_boot_stage_seconds",
    help: "Time that a stage of a sandbox's boot took; stages without anything to do are left out.",
    labelNames: ["provider", "stage", "outcome"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  return {
    countOwned: (count) => {
      owned = count;
    },
    bootStage: (provider, { stage, outcome, ms }) => {
      if (outcome !== "skipped") stages.observe({ provider, stage, outcome }, ms / 1_000);
    },
  };
};
