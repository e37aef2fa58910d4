import { erasedText } from "#contracts/erasure/markers";
import type { Failure } from "#contracts/session/events";

/** A failure as it is read once the text was erased: its code stays. */
export const erasedFailure = (failure: Failure | null): Failure | null =>
  failure && { ...failure, message: erasedText };
