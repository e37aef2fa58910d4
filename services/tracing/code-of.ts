import { isDomainError } from "#contracts/errors";

/** What a trace says of an error: its stable code, or else its class. Messages may quote what people wrote. */
export const codeOf = (error: unknown): string => {
  if (isDomainError(error)) return error.code;
  return error instanceof Error ? error.name : typeof error;
};
