/**
 * Asks for an owner of a session in which nothing is to be done: somebody wants to look into its sandbox.
 * What is to be done is a commit, and needs no such request.
 */
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import type { EventStore } from "../event-store.ts";
import { ask, type Listening, serve } from "./request-reply.ts";

const subject = "own.activate";
/** Of all runners one gets the request. */
const queue = "runners";

const keySchema = z.object({
  organization: idSchema("organization"),
  session: idSchema("session"),
});
export type ActivationKey = z.infer<typeof keySchema>;

/** Resolves when some runner has heard of it, or none is there: the caller looks for an owner anyway. */
export const requestActivation = async (store: EventStore, key: ActivationKey): Promise<void> => {
  await ask(store, subject, JSON.stringify(key));
};

/** Serves the requests as one of the runners. `activate` must not throw. */
export const serveActivations = (
  store: EventStore,
  activate: (key: ActivationKey) => void,
): Listening =>
  serve(store, { subject, queue }, (request) => {
    const key = keySchema.safeParse(parseJson(request.string())).data;
    if (!key) return null;
    activate(key);
    return "";
  });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Refused by the schema.
  }
};
