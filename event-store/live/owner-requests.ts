/**
 * Requests to the owner of a session, by subject. They are nudges: whatever must not be lost is a
 * commit first, and an owner that never hears of a nudge finds the commit.
 */
import type { EventStore } from "../event-store.ts";
import { ask, type Listening, serve } from "./request-reply.ts";

export type { Listening } from "./request-reply.ts";

/** `wake`: there is something new in the log. `cancel`: stop the answer that is being given. */
export type OwnerVerb = "wake" | "cancel";

const ownerSubject = (sessionId: string, verb: string): string => `own.${sessionId}.${verb}`;

/** Asks the owner of a session; `no_owner` when nobody listens or nobody answers in time. */
export const requestOwner = async (
  store: EventStore,
  sessionId: string,
  verb: OwnerVerb,
): Promise<"answered" | "no_owner"> =>
  (await ask(store, ownerSubject(sessionId, verb))) ? "answered" : "no_owner";

/**
 * Tells the owner of a session, if there is one, without asking whether it has heard.
 *
 * @throws Error when the connection is closed
 */
export const nudgeOwner = (
  { connection }: EventStore,
  sessionId: string,
  verb: OwnerVerb,
): void => {
  connection.publish(ownerSubject(sessionId, verb));
};

/** Listens to the requests of a session, as its owner. */
export const serveOwner = (
  store: EventStore,
  sessionId: string,
  handlers: Readonly<Record<OwnerVerb, () => void>>,
): Listening =>
  serve(store, { subject: ownerSubject(sessionId, "*") }, ({ subject }) => {
    const verb = subject.split(".").at(-1);
    if (verb !== "wake" && verb !== "cancel") return null;
    handlers[verb]();
    return "";
  });
