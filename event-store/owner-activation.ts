/**
 * Asks for an owner of a session in which nothing is to be done: somebody wants to look into its sandbox.
 * What is to be done is a commit, and needs no such request.
 */
import type { Msg } from "@nats-io/transport-node";
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import type { EventStore } from "./event-store.ts";
import type { Listening } from "./owner-requests.ts";
import { isUnanswered } from "./request-failures.ts";

const subject = "own.activate";
/** Of all runners one gets the request. */
const queue = "runners";
const requestTimeoutMs = 2_000;

const keySchema = z.object({
  organization: idSchema("organization"),
  session: idSchema("session"),
});
export type ActivationKey = z.infer<typeof keySchema>;

/** Resolves when some runner has heard of it, or none is there: the caller looks for an owner anyway. */
export const requestActivation = async (
  { connection }: EventStore,
  key: ActivationKey,
): Promise<void> => {
  try {
    await connection.request(subject, JSON.stringify(key), { timeout: requestTimeoutMs });
  } catch (error) {
    if (!isUnanswered(error)) throw error;
  }
};

/** Serves the requests as one of the runners. `activate` must not throw. */
export const serveActivations = (
  { connection }: EventStore,
  activate: (key: ActivationKey) => void,
): Listening => {
  const subscription = connection.subscribe(subject, {
    queue,
    callback: (error: Error | null, message: Msg) => {
      const key = error ? null : keySchema.safeParse(parseJson(message.string())).data;
      // An unreadable request gets no answer, which its sender takes for a runner that is not there.
      if (!key) return;
      activate(key);
      message.respond();
    },
  });
  return { stop: () => subscription.unsubscribe() };
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Refused by the schema.
  }
};
