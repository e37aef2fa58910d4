/** What becomes of an execution, as the command that records it. Pure. */
import { isDomainError } from "#contracts/errors";
import type { InvocationCommand } from "#contracts/invocation/commands";
import type { RiskLevel } from "#contracts/invocation/events";
import { redact } from "#sandbox/redaction";
import { type Json, redactJson } from "./redact-result.ts";
import { truncateJson } from "./truncate.ts";

/** The commands that end an execution. */
export type OutcomeCommand = Extract<
  InvocationCommand,
  { type: "CompleteAction" | "FailAction" | "LoseOutcome" }
>;

/** The largest stored result, in bytes of its JSON. */
export const maxResultBytes = 10 * 1024;
const maxMessageLength = 2000;

/** A completion with the result as the log takes it: without secrets, within {@link maxResultBytes}. */
export interface Completion {
  readonly command: Extract<OutcomeCommand, { type: "CompleteAction" }>;
  /** The same result before it was cut; null if it was not. */
  readonly whole: Json | null;
}

export const completed = (result: unknown, durationMs: number): Completion => {
  const whole = redactJson(JSON.parse(JSON.stringify(result ?? null)) as Json);
  const { value, truncated } = truncateJson(whole, maxResultBytes);
  return {
    command: { type: "CompleteAction", result: value, truncated, fullResult: null, durationMs },
    whole: truncated ? whole : null,
  };
};

/**
 * What an error means. A source throws a DomainError when it is certain that nothing came of the
 * action. Any other error may have come after the deed: then nobody knows the outcome, unless the
 * action only reads, where not knowing does no harm and counts as a failure.
 */
export const failed = (error: unknown, risk: RiskLevel): OutcomeCommand => {
  const message = messageOf(error);
  if (isDomainError(error)) return { type: "FailAction", failure: { code: error.code, message } };
  if (risk !== "read") return { type: "LoseOutcome", reason: message };
  // What kept a source from telling what came of it, such as an answer that is too large.
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isDomainError(cause) ? cause.code : "action_interrupted";
  return { type: "FailAction", failure: { code, message } };
};

const messageOf = (error: unknown): string =>
  redact(error instanceof Error ? error.message : String(error)).slice(0, maxMessageLength);
