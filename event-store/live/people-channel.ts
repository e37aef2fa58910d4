/**
 * What the processes that serve a session's watchers tell each other about who is there. Nothing is
 * stored and nothing is acknowledged: each says again and again what it sees, and who falls silent is gone.
 */
import type { Msg } from "@nats-io/transport-node";
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import type { EventStore } from "../event-store.ts";

const noteSchema = z.object({
  /** The process that tells. */
  instance: z.string(),
  /** Whether the others are to tell at once what they see. */
  asks: z.boolean(),
  people: z.array(z.object({ userId: idSchema("user"), typing: z.boolean() })),
});
export type PeopleNote = z.infer<typeof noteSchema>;

export interface PeopleChannel {
  /** Tells the others; whether anybody hears it is not known. */
  tell(note: PeopleNote): void;
  stop(): void;
}

/** @param hear called with every note of the session, also with those of this process */
export const openPeopleChannel = (
  { connection }: EventStore,
  sessionId: string,
  hear: (note: PeopleNote) => void,
): PeopleChannel => {
  const subject = `people.${sessionId}`;
  const subscription = connection.subscribe(subject, {
    callback: (error: Error | null, message: Msg) => {
      const note = error ? undefined : noteSchema.safeParse(message.json()).data;
      // A note of a newer program that this one cannot read is like one that got lost.
      if (note) hear(note);
    },
  });
  return {
    tell: (note) => {
      connection.publish(subject, JSON.stringify(note));
    },
    stop: () => {
      subscription.unsubscribe();
    },
  };
};
