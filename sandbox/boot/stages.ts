/** Runs boot steps in order, each within its own time, and tells how long each took and how it ended. */
import { DomainError, isDomainError } from "#contracts/errors";
import type { BootStage, StageReport } from "../provider/provider.ts";
import { redact } from "../redaction.ts";

export interface Stage {
  readonly name: BootStage;
  /** Milliseconds, after which the stage has failed. */
  readonly timeoutMs: number;
  /** Answers `skipped` when there was nothing to do. */
  readonly run: (signal: AbortSignal) => Promise<void | "skipped">;
}

export interface StageRun {
  readonly signal: AbortSignal;
  readonly onStage?: ((report: StageReport) => void) | undefined;
  /** Values that must not appear in an error or a report. */
  readonly secrets: readonly string[];
}

const longestCause = 600;

/** @throws DomainError `sandbox_boot_failed` with `fields.stage` and a redacted cause */
export const runStages = async (stages: readonly Stage[], run: StageRun): Promise<void> => {
  for (const stage of stages) {
    // A step that does not heed its signal must not hold the boot; what it has started ends by its own limits.
    const { report, error } = await runStage(stage, run, unlessAborted);
    run.onStage?.(report);
    if (report.outcome === "failed") throw bootFailed(report, error);
  }
};

/**
 * Runs every stage, whatever became of the ones before; ends early only when it is called off, and then not
 * before the step that is being done has ended.
 */
export const runStagesRegardless = async (
  stages: readonly Stage[],
  run: StageRun,
): Promise<void> => {
  for (const stage of stages) {
    if (run.signal.aborted) return;
    const { report } = await runStage(stage, run, (work) => work);
    // What was called off has not failed.
    if (!run.signal.aborted) run.onStage?.(report);
  }
};

interface StageEnd {
  readonly report: StageReport;
  /** What was thrown, unredacted. */
  readonly error: unknown;
}

const runStage = async (
  { name: stage, timeoutMs, run: work }: Stage,
  { signal: callOff, secrets }: StageRun,
  within: <T>(work: Promise<T>, signal: AbortSignal) => Promise<T>,
): Promise<StageEnd> => {
  const startedAt = performance.now();
  const end = (
    outcome: StageReport["outcome"],
    detail: string | null,
    error: unknown = null,
  ): StageEnd => {
    const ms = Math.round(performance.now() - startedAt);
    return { report: { stage, ms, outcome, detail }, error };
  };
  const deadline = new AbortController();
  const late = setTimeout(() => deadline.abort(tookTooLong(timeoutMs)), timeoutMs);
  const signal = AbortSignal.any([callOff, deadline.signal]);
  try {
    signal.throwIfAborted();
    const outcome = await within(work(signal), signal);
    return end(outcome ?? "done", null);
  } catch (thrown) {
    const error: unknown = deadline.signal.aborted ? deadline.signal.reason : thrown;
    const said = error instanceof Error ? error.message : String(error);
    return end("failed", redact(said, secrets).slice(0, longestCause), error);
  } finally {
    clearTimeout(late);
  }
};

const tookTooLong = (timeoutMs: number): DomainError =>
  new DomainError("sandbox_unavailable", `it took longer than ${Math.round(timeoutMs / 1000)} s`);

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(signal.reason instanceof Error ? signal.reason : new Error("called off"));
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });

const bootFailed = ({ stage, detail }: StageReport, error: unknown): DomainError =>
  // The original error is not kept as the cause: its message and stack may carry what was redacted.
  new DomainError("sandbox_boot_failed", `The sandbox did not start (stage ${stage}): ${detail}`, {
    fields: { stage, ...(isDomainError(error) && { reason: error.code }) },
  });
