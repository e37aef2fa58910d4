/**
 * Requests to the owner of a session, by subject. They are nudges: whatever must not be lost is a
 * commit first, and an owner that never hears of a nudge finds the commit.
 */
import type { Msg } from "@nats-io/transport-node";
import type { EventStore } from "./event-store.ts";
import { isUnanswered } from "./request-failures.ts";

/** `wake`: there is something new in the log. `cancel`: stop the answer that is being given. */
export type OwnerVerb = "wake" | "cancel";

const requestTimeoutMs = 2_000;
const ownerSubject = (sessionId: string, verb: string): string => `own.${sessionId}.${verb}`;

/** Asks the owner of a session; `no_owner` when nobody listens or nobody answers in time. */
export const requestOwner = async (
  { connection }: EventStore,
  sessionId: string,
  verb: OwnerVerb,
): Promise<"answered" | "no_owner"> => {
  try {
    await connection.request(ownerSubject(sessionId, verb), "", { timeout: requestTimeoutMs });
    return "answered";
  } catch (error) {
    if (isUnanswered(error)) {
      return "no_owner";
    }
    throw error;
  }
};

export interface Listening {
  stop(): void;
}

/** Listens to the requests of a session, as its owner. */
export const serveOwner = (
  { connection }: EventStore,
  sessionId: string,
  handlers: Readonly<Record<OwnerVerb, () => void>>,
): Listening => {
  const subscription = connection.subscribe(ownerSubject(sessionId, "*"), {
    callback: (error: Error | null, message: Msg) => {
      if (error) {
        return;
      }
      const verb = message.subject.split(".").at(-1);
      if (verb === "wake" || verb === "cancel") {
        handlers[verb]();
        message.respond();
      }
    },
  });
  return { stop: () => subscription.unsubscribe() };
};
