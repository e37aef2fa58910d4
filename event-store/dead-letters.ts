/**
 * Dead letters: pointers to the messages that a worker has given up, with the reason. They are kept in
 * a stream of their own for operators to look at; the messages themselves stay where they are.
 */
import { z } from "zod";
import type { EventStore } from "./event-store.ts";
import { deadLetterStream } from "./topology/streams.ts";

const deadLetterSchema = z.object({
  worker: z.string(),
  /** Where the message is. */
  stream: z.string(),
  sequence: z.int(),
  subject: z.string(),
  attempts: z.int(),
  error: z.object({ name: z.string(), message: z.string() }),
  at: z.iso.datetime(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** The longest text of an error that is kept. */
const maxErrorLength = 2_000;

/** Keeps a letter; the same message of the same worker is kept once. */
export const keepDeadLetter = async (
  { js }: EventStore,
  letter: Omit<DeadLetter, "error" | "at"> & { readonly error: unknown },
): Promise<void> => {
  const { worker, stream, sequence, error } = letter;
  const kept: DeadLetter = {
    ...letter,
    error:
      error instanceof Error
        ? { name: error.name, message: error.message.slice(0, maxErrorLength) }
        : { name: "Error", message: String(error).slice(0, maxErrorLength) },
    at: new Date().toISOString(),
  };
  await js.publish(`dead.${worker}.${stream}.${sequence}`, JSON.stringify(kept), {
    msgID: `${worker}:${stream}:${sequence}`,
  });
};

/** The letters that are kept, oldest first. */
export async function* listDeadLetters({ jsm }: EventStore): AsyncGenerator<DeadLetter> {
  const { state } = await jsm.streams.info(deadLetterStream);
  if (state.messages === 0) {
    return;
  }
  for (let sequence = state.first_seq; sequence <= state.last_seq; sequence += 1) {
    const message = await jsm.streams.getMessage(deadLetterStream, { seq: sequence });
    // A newer letter of the same message takes the place of the older one.
    if (message) {
      yield deadLetterSchema.parse(message.json());
    }
  }
}
