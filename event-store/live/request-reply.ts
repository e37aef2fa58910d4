/** The one frame of all requests over NATS: who asks gets an answer or learns that there is none. */
import type { Msg } from "@nats-io/transport-node";
import type { EventStore } from "../event-store.ts";
import { isUnanswered } from "./request-failures.ts";

/** How long an answer is waited for: whoever is asked answers from memory. */
export const answerTimeoutMs = 2_000;

/** The answer; null when nobody listens, or nobody answers in time. */
export const ask = async (
  { connection }: EventStore,
  subject: string,
  question = "",
): Promise<Msg | null> => {
  try {
    return await connection.request(subject, question, { timeout: answerTimeoutMs });
  } catch (error) {
    if (isUnanswered(error)) return null;
    throw error;
  }
};

export interface Listening {
  stop(): void;
}

export interface Served {
  /** May end in a wildcard. */
  readonly subject: string;
  /** Of all who serve it under this name, one gets a request; each gets it without a name. */
  readonly queue?: string;
}

/**
 * Answers the requests of a subject until it is stopped.
 * @param answer must not throw; null: the request gets no answer, which its sender takes for nobody there
 */
export const serve = (
  { connection }: EventStore,
  { subject, queue }: Served,
  answer: (request: Msg) => string | null,
): Listening => {
  const subscription = connection.subscribe(subject, {
    ...(queue !== undefined && { queue }),
    callback: (error: Error | null, request: Msg) => {
      // A subscription that has failed: who asks hears nothing, and asks again.
      if (error) return;
      const given = answer(request);
      if (given !== null) request.respond(given);
    },
  });
  return { stop: () => subscription.unsubscribe() };
};
