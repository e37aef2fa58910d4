/** What went wrong at a provider, in words that may be logged, stored and shown. */
import { DomainError, isDomainError, type ErrorCode } from "#contracts/errors";
import { redact } from "../redaction.ts";

const longestMessage = 1_000;
const deepestCause = 4;

export interface ProviderFailure {
  /** The provider's type. */
  readonly provider: string;
  /** The method of the contract, e.g. `ensureSandbox`. */
  readonly operation: string;
  /** `sandbox_provider_failed` by default; a DomainError keeps its own. */
  readonly code?: ErrorCode;
  /** Values that are known to be secret in this place. */
  readonly secrets?: readonly string[];
  /** More ids and limits that help the caller; never a secret. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export class SandboxProviderError extends DomainError {
  override readonly name = "SandboxProviderError";
  readonly provider: string;
  readonly operation: string;

  /** @param message is redacted; see {@link SandboxProviderError.from} for errors of others */
  constructor(message: string, failure: ProviderFailure, cause?: unknown) {
    const { provider, operation, code = "sandbox_provider_failed", secrets, fields } = failure;
    super(code, redact(message, secrets).slice(0, longestMessage), {
      fields: { ...fields, provider, operation },
      ...(cause !== undefined && { cause: redactedCause(cause, secrets) }),
    });
    this.provider = provider;
    this.operation = operation;
  }

  /** Anything thrown as an error of this class; one that is of it already stays as it is. */
  static from(error: unknown, failure: ProviderFailure): SandboxProviderError {
    if (error instanceof SandboxProviderError) return error;
    const known = isDomainError(error) ? { code: error.code, fields: error.fields } : {};
    const message = isDomainError(error)
      ? error.message
      : `The sandbox provider ${failure.provider} failed in ${failure.operation}: ${messageOf(error)}`;
    const fields = { ...known.fields, ...failure.fields };
    return new SandboxProviderError(message, { ...known, ...failure, fields }, error);
  }
}

/** Runs one operation of a provider; what it throws comes out as a {@link SandboxProviderError}. */
export const asProvider = async <T>(
  failure: ProviderFailure,
  operation: () => Promise<T>,
): Promise<T> => {
  try {
    return await operation();
  } catch (error) {
    throw SandboxProviderError.from(error, failure);
  }
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** A copy without secrets: messages, stacks and further fields of the original may carry some. */
const redactedCause = (error: unknown, secrets?: readonly string[]): Error => {
  const messages: string[] = [];
  let cause: unknown = error;
  for (let depth = 0; cause !== undefined && depth < deepestCause; depth += 1) {
    messages.push(messageOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  const copy = new Error(redact(messages.join(": "), secrets).slice(0, longestMessage));
  copy.name = error instanceof Error ? error.name : "Error";
  return copy;
};
