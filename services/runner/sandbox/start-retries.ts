/** Whether a sandbox that did not come up is worth another attempt. */
import { isDomainError } from "#contracts/errors";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import { failureOf } from "./bring-up.ts";
import type { Bell } from "../bell.ts";
import type { OwnerContext } from "../owner-context.ts";

/** What may be well again in a moment. Anything else is for people: a repository that is not there stays so. */
const passing = [
  "sandbox_unavailable",
  "sandbox_provider_failed",
  "sandbox_start_timed_out",
  "agent_unreachable",
  "agent_failed",
] as const;

/**
 * Counts the failure in the log, so that no takeover begins to count anew, and tells people why they wait.
 * @returns after how many milliseconds the next attempt is due; null: give up
 */
export const retryAfter = async (
  { command, tell, epoch, limits }: OwnerContext,
  { startFailures }: ExistingSession,
  error: unknown,
): Promise<number | null> => {
  const passes = passing.some((code) => isDomainError(error, code));
  if (!passes || startFailures + 1 >= limits.startAttempts) return null;
  const failure = failureOf(error);
  await command({ type: "ReportStartFailed", epoch, failure });
  tell({ type: "status", status: "starting", detail: `${failure.message} It is tried again.` });
  return limits.startRetryMs * 2 ** startFailures;
};

export interface UntilRetry {
  readonly ms: number;
  /** Rings when something new about the session may be in the log. */
  readonly bell: Bell;
  /** Whether the sandbox is still to be brought up, before anything else. */
  readonly isDue: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Waits for the next attempt. A session that waits for its sandbox is rung for again and again, which shortens nothing. */
export const untilRetry = async ({ ms, bell, isDue, signal }: UntilRetry): Promise<void> => {
  const over = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  do await bell.wait(over);
  while (!over.aborted && (await isDue()));
};
