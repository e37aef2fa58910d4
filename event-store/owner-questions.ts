/**
 * Questions to the owner of a session, by subject. An answer says how things are with the owner now and is
 * good for the asker's next step only.
 */
import type { Msg } from "@nats-io/transport-node";
import type { EventStore } from "./event-store.ts";
import type { Listening } from "./owner-requests.ts";
import { isUnanswered } from "./request-failures.ts";

/** `endpoints`: where the sandbox is reached; null while there is none. */
export type OwnerQuestion = "endpoints";

const answerTimeoutMs = 2_000;
const subjectOf = (sessionId: string, question: string): string => `ask.${sessionId}.${question}`;

/** The owner's answer, to be parsed; null when nobody owns the session or nobody answers in time. */
export const askOwner = async (
  { connection }: EventStore,
  sessionId: string,
  question: OwnerQuestion,
): Promise<unknown> => {
  try {
    const subject = subjectOf(sessionId, question);
    return (await connection.request(subject, "", { timeout: answerTimeoutMs })).json();
  } catch (error) {
    if (isUnanswered(error)) return null;
    throw error;
  }
};

/** Answers the questions about a session, as its owner. */
export const answerAsOwner = (
  { connection }: EventStore,
  sessionId: string,
  answers: Readonly<Record<OwnerQuestion, () => unknown>>,
): Listening => {
  const subscription = connection.subscribe(subjectOf(sessionId, "endpoints"), {
    callback: (error: Error | null, message: Msg) => {
      // The asker gets no answer then, and asks again.
      if (error) return;
      message.respond(JSON.stringify(answers.endpoints()));
    },
  });
  return { stop: () => subscription.unsubscribe() };
};
