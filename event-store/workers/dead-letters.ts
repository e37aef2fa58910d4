/**
 * Dead letters: pointers to the messages that a worker has given up, with what went wrong each time.
 * They are kept in a stream of their own for operators to look at; the messages themselves stay where
 * they are.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { StoredMsg } from "@nats-io/jetstream";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { EventStore } from "../event-store.ts";
import { type Failure, failureSchema, type MessageOfWorker } from "./failures.ts";
import { classifyPublishFailure } from "../publish-outcome.ts";
import { readAllMessages } from "../reading/read-messages.ts";
import { deadLetterStream } from "../topology/streams.ts";

const deadLetterSchema = z.object({
  worker: z.string(),
  /** Where the message is. */
  stream: z.string(),
  sequence: z.int(),
  subject: z.string(),
  /** How often the message was handed to the worker. */
  attempts: z.int(),
  /** The last failure. */
  error: failureSchema.shape.error,
  /** When it was given up, or failed after an operator had it handled again. */
  at: z.iso.datetime(),
  /** The newest failures, oldest first. An attempt that is missing ended with its process. */
  history: z.array(failureSchema).default([]),
  /** How often an operator had it handled again in vain. */
  requeues: z.int().default(0),
  /** Who decided that the message is not to be handled any more; the letter stays as the record of it. */
  dropped: z
    .object({ by: z.string(), reason: z.string(), at: z.iso.datetime() })
    .nullable()
    .default(null),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** A letter and the revision at which it was read. */
export interface StoredDeadLetter {
  readonly id: string;
  readonly letter: DeadLetter;
  readonly revision: number;
}

const subjectPrefix = "dead.";
const attemptsToStore = 5;

/** What operators call a letter: `worker.stream.sequence`. */
const deadLetterId = ({ worker, stream, sequence }: MessageOfWorker): string =>
  `${worker}.${stream}.${sequence}`;

/** Keeps a new letter, which takes the place of an older one of the same message and worker. */
export const keepDeadLetter = (
  store: EventStore,
  letter: Omit<DeadLetter, "error" | "at" | "dropped" | "history"> & {
    readonly history: readonly [...Failure[], Failure];
  },
): Promise<void> => {
  const { error, at } = letter.history[letter.history.length - 1] as Failure;
  return storeDeadLetter(store, {
    ...letter,
    history: [...letter.history],
    error,
    at,
    dropped: null,
  });
};

/**
 * Stores a letter, if given only over the revision that was read.
 *
 * @throws DomainError `concurrency_conflict` when the letter has changed since
 */
export const storeDeadLetter = async (
  { js }: EventStore,
  letter: DeadLetter,
  revision?: number,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await js.publish(`${subjectPrefix}${deadLetterId(letter)}`, JSON.stringify(letter), {
        ...(revision === undefined ? {} : { expect: { lastSubjectSequence: revision } }),
      });
      return;
    } catch (error) {
      const failure = classifyPublishFailure(error);
      if (failure === "wrong_last_sequence") {
        throw new DomainError("concurrency_conflict", "The letter has changed; look at it again.", {
          cause: error,
        });
      }
      if (failure === "refused" || attempt === attemptsToStore) {
        throw error;
      }
      await delay(20 * 2 ** attempt);
    }
  }
};

/** Removes a letter as it was read; a newer one of the same message stays. */
export const removeDeadLetter = async (
  { jsm }: EventStore,
  { id, revision }: StoredDeadLetter,
): Promise<void> => {
  await jsm.streams.purge(deadLetterStream, {
    filter: `${subjectPrefix}${id}`,
    seq: revision + 1,
  });
};

/** Finds a letter by its id, also a dropped one; null when there is none. */
export const findDeadLetter = async (
  { jsm }: EventStore,
  id: string,
): Promise<StoredDeadLetter | null> => {
  if (!/^[\w-]+\.[\w-]+\.\d+$/.test(id)) {
    return null;
  }
  const message = await jsm.streams.getMessage(deadLetterStream, {
    last_by_subj: `${subjectPrefix}${id}`,
  });
  return message && readLetter(message);
};

/** The letters that are kept, oldest first; dropped ones too when asked for. */
export async function* listDeadLetters(
  store: EventStore,
  { worker = "*", dropped = false }: { readonly worker?: string; readonly dropped?: boolean } = {},
): AsyncGenerator<StoredDeadLetter> {
  const letters = { stream: deadLetterStream, subject: `${subjectPrefix}${worker}.*.*` };
  for await (const message of readAllMessages(store, letters)) {
    const stored = readLetter(message);
    if (dropped || stored.letter.dropped === null) yield stored;
  }
}

const readLetter = (message: StoredMsg): StoredDeadLetter => ({
  id: message.subject.slice(subjectPrefix.length),
  letter: deadLetterSchema.parse(message.json()),
  revision: message.seq,
});
