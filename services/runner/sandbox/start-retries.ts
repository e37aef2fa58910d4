/** What follows when a sandbox did not come up: another attempt, if it is worth one. */
import { isDomainError } from "#contracts/errors";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import { failSession } from "../agent/finish-prompt.ts";
import type { Bell } from "../bell.ts";
import { failureOf } from "./bring-up.ts";
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
const retryAfter = async (
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

interface Waiting {
  /** Rings when something new about the session may be in the log. */
  readonly bell: Bell;
  /** Whether the sandbox is still to be brought up, before anything else. */
  readonly isDue: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Waits for the next attempt. A session that waits for its sandbox is rung for again and again, which shortens nothing. */
const untilRetry = async (ms: number, { bell, isDue, signal }: Waiting): Promise<void> => {
  const over = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  do await bell.wait(over);
  while (!over.aborted && (await isDue()));
};

/** Waits for the next attempt, or ends what waits for the sandbox. @throws DomainError `stale_owner` */
export const afterFailedStart = async (
  context: OwnerContext,
  { state, error }: { readonly state: ExistingSession; readonly error: unknown },
  waiting: Waiting,
): Promise<void> => {
  const ms = await retryAfter(context, state, error);
  await (ms === null ? failSession(context, state, error) : untilRetry(ms, waiting));
};
