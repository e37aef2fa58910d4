/**
 * Questions to the owner of a session, by subject. An answer says how things are with the owner now and is
 * good for the asker's next step only.
 */
import type { EventStore } from "../event-store.ts";
import { ask, type Listening, serve } from "./request-reply.ts";

/** `endpoints`: where the sandbox is reached; null while there is none. */
export type OwnerQuestion = "endpoints";

const subjectOf = (sessionId: string, question: string): string => `ask.${sessionId}.${question}`;

/** The owner's answer, to be parsed; null when nobody owns the session or nobody answers in time. */
export const askOwner = async (
  store: EventStore,
  sessionId: string,
  question: OwnerQuestion,
): Promise<unknown> => (await ask(store, subjectOf(sessionId, question)))?.json() ?? null;

/** Answers the questions about a session, as its owner. */
export const answerAsOwner = (
  store: EventStore,
  sessionId: string,
  answers: Readonly<Record<OwnerQuestion, () => unknown>>,
): Listening =>
  serve(store, { subject: subjectOf(sessionId, "endpoints") }, () =>
    JSON.stringify(answers.endpoints()),
  );
