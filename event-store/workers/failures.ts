/**
 * What went wrong with a message so far. A message is tried by several processes, so that its failures
 * are counted in a stream: each failure replaces the record, which the server removes after a while.
 */
import { z } from "zod";
import { isDomainError } from "#contracts/errors";
import type { EventStore } from "../event-store.ts";
import { deadLetterStream } from "../topology/streams.ts";

export const failureSchema = z.object({
  /** The how-manieth time the message was handed out, from 1. */
  attempt: z.int(),
  at: z.iso.datetime(),
  error: z.object({
    name: z.string(),
    message: z.string(),
    /** The code of a DomainError. */
    code: z.string().optional(),
  }),
});
export type Failure = z.infer<typeof failureSchema>;

/** A message, and the worker that could not handle it. */
export interface MessageOfWorker {
  readonly worker: string;
  readonly stream: string;
  readonly sequence: number;
}

const recordSchema = z.object({
  failures: z.int(),
  history: z.array(failureSchema),
});

/** The longest text of an error that is kept. */
const maxErrorLength = 2_000;
/** How many failures are kept of a message: the newest. */
const maxHistory = 20;
/** Longer than the longest pause between two attempts, also over a weekend without workers. */
const recordTtl = "96h";

export const failureOf = (error: unknown, attempt: number): Failure => ({
  attempt,
  at: new Date().toISOString(),
  error: {
    name: error instanceof Error ? error.name : "Error",
    message: (error instanceof Error ? error.message : String(error)).slice(0, maxErrorLength),
    ...(isDomainError(error) ? { code: error.code } : {}),
  },
});

/** A history with one more failure, kept short. */
export const withFailure = (
  history: readonly Failure[],
  failure: Failure,
): readonly [...Failure[], Failure] => [...history.slice(1 - maxHistory), failure];

/** Adds a failure to the record of a message; answers how many there are and the newest of them. */
export const recordFailure = async (
  { js, jsm }: EventStore,
  { worker, stream, sequence }: MessageOfWorker,
  failure: Failure,
): Promise<{ readonly failures: number; readonly history: readonly [...Failure[], Failure] }> => {
  const subject = `failures.${worker}.${stream}.${sequence}`;
  const message = await jsm.streams.getMessage(deadLetterStream, { last_by_subj: subject });
  const known = message ? recordSchema.parse(message.json()) : { failures: 0, history: [] };
  const record = {
    failures: known.failures + 1,
    history: withFailure(known.history, failure),
  };
  await js.publish(subject, JSON.stringify(record), { ttl: recordTtl });
  return record;
};
