/** What the SDK throws, as the errors of this program; which of them are worth another try. */
import {
  AuthenticationError,
  FileNotFoundError,
  NotFoundError,
  RateLimitError,
  SandboxError,
  ServiceBusyError,
  TimeoutError,
} from "e2b";
import pRetry from "p-retry";
import { DomainError } from "#contracts/errors";

/**
 * One call of the SDK.
 * @param how `repeat`: doing it twice is doing it once, so it is tried again when E2B is busy, fails or
 * breaks the connection. `once`: it may have been done although it failed.
 * @throws DomainError `sandbox_not_found`, `sandbox_unavailable`, `sandbox_provider_failed`
 */
export const callE2b = async <T>(how: "repeat" | "once", call: () => Promise<T>): Promise<T> => {
  try {
    return await pRetry(call, {
      retries: how === "repeat" ? 3 : 0,
      minTimeout: 200,
      randomize: true,
      shouldRetry: isTransient,
    });
  } catch (error) {
    throw e2bError(error);
  }
};

/** A call that took too long is not repeated: nobody waits for three times the limit. */
const isTransient = (error: unknown): boolean =>
  error instanceof ServiceBusyError ||
  (statusOf(error) ?? 0) >= 500 ||
  (isBrokenConnection(error) && !isTimeout(error));

export const e2bError = (error: unknown): DomainError => {
  if (error instanceof DomainError) return error;
  const said = error instanceof Error ? error.message : String(error);
  const as = (code: DomainError["code"], reason: string, message: string): DomainError =>
    new DomainError(code, message, { cause: error, fields: { reason, status: statusOf(error) } });

  if (error instanceof AuthenticationError) {
    return as("sandbox_provider_failed", "unauthorized", `E2B refuses the API key: ${said}`);
  }
  if (error instanceof FileNotFoundError) return as("sandbox_unavailable", "no_such_file", said);
  if (error instanceof NotFoundError || statusOf(error) === 404) {
    return as("sandbox_not_found", "not_found", `E2B has no such sandbox or template: ${said}`);
  }
  if (error instanceof RateLimitError) {
    return as("sandbox_unavailable", "rate_limited", `E2B takes no more requests now: ${said}`);
  }
  if (error instanceof ServiceBusyError) {
    return as("sandbox_unavailable", "busy", `E2B is too busy: ${said}`);
  }
  if (isTimeout(error)) {
    return as("sandbox_unavailable", "timeout", `E2B did not answer in time: ${said}`);
  }
  if (isBrokenConnection(error)) {
    return as("sandbox_unavailable", "connection", `The connection to E2B broke: ${said}`);
  }
  return as("sandbox_provider_failed", "failed", `E2B failed: ${said}`);
};

/** Of E2B's answer; undefined when there was none. */
const statusOf = (error: unknown): number | undefined => {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
};

const isTimeout = (error: unknown): boolean =>
  error instanceof TimeoutError || (error instanceof Error && error.name === "TimeoutError");

/** The SDK hands on what its HTTP client throws, and calls a cut stream an error without a status. */
export const isBrokenConnection = (error: unknown): boolean =>
  error instanceof TypeError ||
  isTimeout(error) ||
  (error instanceof SandboxError && /terminated|socket|network|fetch/i.test(error.message));
