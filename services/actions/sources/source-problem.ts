import { DomainError, isDomainError } from "#contracts/errors";

/** Why a source cannot be used now, for people to read. @param late whether it was still waited for in vain */
export const sourceProblem = (cause: unknown, late: boolean): DomainError => {
  if (isDomainError(cause)) return cause;
  return late
    ? new DomainError("integration_timed_out", "It has not answered yet. Try again soon.", {
        cause,
      })
    : new DomainError("internal", "It could not be used, for a reason that was logged.", { cause });
};
