/** Runs boot steps in order, tells how long each took, and names the one that failed. */
import { DomainError, isDomainError } from "#contracts/errors";
import type { BootStage, StageReport } from "../provider/provider.ts";
import { redact } from "../redaction.ts";

export interface Stage {
  readonly name: BootStage;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export interface StageRun {
  readonly signal: AbortSignal;
  readonly onStage?: ((report: StageReport) => void) | undefined;
  /** Values that must not appear in an error. */
  readonly secrets: readonly string[];
}

const longestCause = 600;

/** @throws DomainError `sandbox_boot_failed` with `fields.stage` and a redacted cause */
export const runStages = async (stages: readonly Stage[], run: StageRun): Promise<void> => {
  for (const stage of stages) {
    const startedAt = performance.now();
    try {
      run.signal.throwIfAborted();
      await stage.run(run.signal);
    } catch (error) {
      throw bootFailed(stage.name, error, run.secrets);
    }
    run.onStage?.({ stage: stage.name, ms: Math.round(performance.now() - startedAt) });
  }
};

const bootFailed = (stage: BootStage, error: unknown, secrets: readonly string[]): DomainError => {
  const said = error instanceof Error ? error.message : String(error);
  const cause = redact(said, secrets).slice(0, longestCause);
  // The original error is not kept as the cause: its message and stack may carry what was redacted.
  return new DomainError(
    "sandbox_boot_failed",
    `The sandbox did not start (stage ${stage}): ${cause}`,
    {
      fields: { stage, ...(isDomainError(error) && { reason: error.code }) },
    },
  );
};
