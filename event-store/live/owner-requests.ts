/**
 * Requests to the owner of a session, by subject. They are nudges: whatever must not be lost is a
 * commit first, and an owner that never hears of a nudge finds the commit.
 */
import { z } from "zod";
import type { EventStore } from "../event-store.ts";
import { ask, type Listening, serve } from "./request-reply.ts";

export type { Listening } from "./request-reply.ts";

/** `wake`: there is something new in the log. `cancel`: stop the answer that is being given. */
export type OwnerVerb = "wake" | "cancel";

const causeSchema = z.object({ trace: z.string().max(64), prompts: z.array(z.string().max(160)) });
/** Which prompts an owner is woken for, and in which trace: for traces only, it works without. */
export type WakeCause = z.infer<typeof causeSchema>;

const ownerSubject = (sessionId: string, verb: string): string => `own.${sessionId}.${verb}`;

/** Asks the owner of a session; `no_owner` when nobody listens or nobody answers in time. */
export const requestOwner = async (
  store: EventStore,
  sessionId: string,
  verb: OwnerVerb,
  cause: WakeCause | null = null,
): Promise<"answered" | "no_owner"> =>
  (await ask(store, ownerSubject(sessionId, verb), contentOf(cause))) ? "answered" : "no_owner";

/**
 * Tells the owner of a session, if there is one, without asking whether it has heard.
 *
 * @throws Error when the connection is closed
 */
export const nudgeOwner = (
  { connection }: EventStore,
  sessionId: string,
  verb: OwnerVerb,
  cause: WakeCause | null = null,
): void => {
  connection.publish(ownerSubject(sessionId, verb), contentOf(cause));
};

const contentOf = (cause: WakeCause | null): string =>
  cause === null ? "" : JSON.stringify(cause);

/** Listens to the requests of a session, as its owner. */
export const serveOwner = (
  store: EventStore,
  sessionId: string,
  handlers: Readonly<Record<OwnerVerb, (cause: WakeCause | null) => void>>,
): Listening =>
  serve(store, { subject: ownerSubject(sessionId, "*") }, (request) => {
    const { subject } = request;
    const verb = subject.split(".").at(-1);
    if (verb !== "wake" && verb !== "cancel") return null;
    handlers[verb](causeIn(request.string()));
    return "";
  });

/** Null for what cannot be read, too: the request itself is as good. */
const causeIn = (text: string): WakeCause | null => {
  if (text === "") return null;
  try {
    return causeSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // It is not JSON.
  }
};
