/** Whether a program that has ended is started again, and when. */

/** `always`: also after it ended by itself without an error. */
export type RestartMode = "always" | "on_failure" | "never";

export interface RestartLimits {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** So many failures in a row, and it is left alone. */
  readonly giveUpAfter: number;
  /** A run that lasted so long ends the row of failures before it. */
  readonly stableAfterMs: number;
}

export const defaultRestartLimits: RestartLimits = {
  firstDelayMs: 1_000,
  longestDelayMs: 30_000,
  giveUpAfter: 6,
  stableAfterMs: 60_000,
};

export interface EndedRun {
  /** Null: a signal ended it, or nobody was there to see its end. */
  readonly exitCode: number | null;
  readonly lastedMs: number;
  /** Failures in a row before this run. */
  readonly failuresBefore: number;
}

export type AfterEnd =
  | { readonly next: "restart"; readonly delayMs: number; readonly failures: number }
  | { readonly next: "stopped" }
  | { readonly next: "gave_up"; readonly failures: number };

export const afterEnd = (mode: RestartMode, run: EndedRun, limits: RestartLimits): AfterEnd => {
  const failed = run.exitCode !== 0;
  if (!failed && mode !== "always") return { next: "stopped" };
  const failures = (run.lastedMs >= limits.stableAfterMs ? 0 : run.failuresBefore) + 1;
  if (mode === "never" || failures >= limits.giveUpAfter) return { next: "gave_up", failures };
  const delayMs = Math.min(limits.firstDelayMs * 2 ** (failures - 1), limits.longestDelayMs);
  return { next: "restart", delayMs, failures };
};
