/**
 * Whether there is a runner is known by asking, as it is with watchers: nothing is stored, so nothing
 * outlives a process that died.
 */
import type { Msg } from "@nats-io/transport-node";
import type { EventStore } from "../event-store.ts";
import type { Listening } from "./owner-requests.ts";
import { isUnanswered } from "./request-failures.ts";

const subject = "own.runners";
const requestTimeoutMs = 2_000;

/** Says to whoever asks that a runner is here and takes sessions, until it is stopped. */
export const announceRunner = ({ connection }: EventStore): Listening => {
  const subscription = connection.subscribe(subject, {
    callback: (error: Error | null, message: Msg) => {
      if (!error) message.respond();
    },
  });
  return { stop: () => subscription.unsubscribe() };
};

/** Whether some runner answers. One that is too slow for that may be too slow to take a session. */
export const isRunnerThere = async ({ connection }: EventStore): Promise<boolean> => {
  try {
    // An announcement that was stopped a moment ago must not answer for others.
    await connection.flush();
    await connection.request(subject, "", { timeout: requestTimeoutMs });
    return true;
  } catch (error) {
    if (isUnanswered(error)) return false;
    throw error;
  }
};
