/** Why a request over NATS has no answer. Anything else that goes wrong with it is a failure of its own. */
import { errors } from "@nats-io/transport-node";

/** Whether a request failed because nobody is there or nobody answered in time. */
export const isUnanswered = (error: unknown): boolean => hasNoResponders(error) || isTimeout(error);

/** Whether a request failed because nobody listens. */
export const hasNoResponders = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError &&
    (error.isNoResponders() || hasNoResponders(error.cause)));

/** Whether a request failed because nobody answered in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof errors.TimeoutError ||
  (error instanceof errors.RequestError && isTimeout(error.cause));
