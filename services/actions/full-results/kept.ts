/** Whether an invocation's full result is there to be read, by what the log says of it. Pure. */
import { DomainError } from "#contracts/errors";
import type { FullResult } from "#contracts/invocation/full-result";
import type { KnownInvocation } from "../invocation/state.ts";

export type KeptResult = Extract<FullResult, { status: "kept" }>;

/** Why there is nothing to read, with the sentence for people. */
const absences = {
  not_completed: "The invocation has no result.",
  not_cut: "The invocation's result is complete: there is no longer one.",
  not_kept: "The organisation did not want full results to be kept then.",
  too_large: "The full result was too large to be kept.",
  failed: "The full result could not be kept.",
  expired: "The full result was kept for seven days, which are over.",
  erased: "The full result was erased with the text of its session.",
} as const;

/** The `reason` is stable, too. */
export const fullResultNotFound = (reason: keyof typeof absences): DomainError =>
  new DomainError("full_result_not_found", absences[reason], { fields: { reason } });

/**
 * @param now an ISO 8601 instant
 * @throws DomainError `full_result_not_found`
 */
export const requireKept = (state: KnownInvocation, now: string): KeptResult => {
  if (state.status !== "completed") throw fullResultNotFound("not_completed");
  const { fullResult, truncated } = state;
  if (fullResult === null) throw fullResultNotFound(truncated ? "not_kept" : "not_cut");
  if (fullResult.status !== "kept") throw fullResultNotFound(fullResult.status);
  if (Date.parse(now) >= Date.parse(fullResult.until)) throw fullResultNotFound("expired");
  return fullResult;
};
