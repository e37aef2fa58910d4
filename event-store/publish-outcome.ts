/**
 * What an answer to a publish means. This is the only place that tells them apart: the server's
 * codes are ambiguous, and R1 and R3 streams answer differently to the same situation.
 */
import { JetStreamApiError, JetStreamError } from "@nats-io/jetstream";
import { jserrors } from "@nats-io/jetstream/internal";
import { errors as natsErrors } from "@nats-io/transport-node";

export type PublishFailure =
  /** Another commit of the aggregate is there, or our own from an attempt whose answer was lost. */
  | "wrong_last_sequence"
  /** Unknown whether it was stored, or the stream is busy: send the same bytes with the same id. */
  | "retry_same"
  /** Nothing that a repetition would change. */
  | "refused";

const wrongLastSequence = 10071;
/** A proposal for the same subject, or with the same message id, is in flight. */
const inFlight = new Set([10164, 10158]);
/** The stream, its leader, or the nodes for a new stream's copies are not to be had just now. */
const unavailable = new Set([10005, 10008, 10009, 10023, 10076, 10077]);

export const classifyPublishFailure = (error: unknown): PublishFailure => {
  if (error instanceof JetStreamApiError) {
    if (error.code === wrongLastSequence) {
      return "wrong_last_sequence";
    }
    return inFlight.has(error.code) || unavailable.has(error.code) || error.status === 503
      ? "retry_same"
      : "refused";
  }
  return isTransient(error) ? "retry_same" : "refused";
};

/** Whether an error says that the server could not be asked, which says nothing of the answer. */
export const isTransient = (error: unknown): boolean =>
  error instanceof jserrors.JetStreamNotEnabled ||
  error instanceof natsErrors.TimeoutError ||
  error instanceof natsErrors.NoRespondersError ||
  error instanceof natsErrors.RequestError ||
  error instanceof natsErrors.ConnectionError ||
  (error instanceof JetStreamError && error.cause !== undefined && isTransient(error.cause));
