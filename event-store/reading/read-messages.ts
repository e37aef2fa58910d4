/** Reads messages of a stream by their subject, many at a time. */
import { setTimeout as delay } from "node:timers/promises";
import type { StoredMsg } from "@nats-io/jetstream";
import { JetStreamStatusError } from "@nats-io/jetstream/internal";
import { errors as natsErrors } from "@nats-io/transport-node";
import { DomainError } from "#contracts/errors";
import type { EventStore } from "../event-store.ts";
import { isTransient } from "../publish-outcome.ts";

const batchSize = 256;
/** Less than what the server lets a slow reader fall behind by before it cuts it off. */
const batchBytes = 8 * 1024 * 1024;
const attempts = 5;
/** How long the server may be silent in the midst of a batch, in milliseconds. */
const silenceMs = 5_000;
/** The status of a direct get that finds nothing. */
const notFound = 404;
/** The status of a direct get that nobody is there to answer. */
const nobodyThere = 503;

/** What a subject has from a sequence on, oldest first. */
export interface MessageBatch {
  /** Its messages have this sequence or later ones. */
  readonly from: number;
  readonly messages: readonly StoredMsg[];
  /** Whether nothing comes after it. */
  readonly isLast: boolean;
}

/** A subject, perhaps with wildcards, of a stream. */
interface Place {
  readonly stream: string;
  readonly subject: string;
}

/**
 * All messages of a subject, oldest first.
 *
 * @throws DomainError `log_unavailable`
 */
export async function* readAllMessages(store: EventStore, place: Place): AsyncGenerator<StoredMsg> {
  for (let from = 1; ;) {
    const { messages, isLast } = await readMessages(store, place, { from });
    yield* messages;
    if (isLast) return;
    from = (messages.at(-1)?.seq ?? from) + 1;
  }
}

/**
 * Reads the next messages of a subject, and tries again when the server does not answer.
 *
 * @throws DomainError `log_unavailable`
 */
export const readMessages = async (
  store: EventStore,
  { stream, subject }: Place,
  { from, limit = batchSize }: { readonly from: number; readonly limit?: number },
): Promise<MessageBatch> => {
  const query = { next_by_subj: subject, seq: from, batch: limit, max_bytes: batchBytes };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const messages = await request(store, stream, query);
      return { from, messages, isLast: (messages.at(-1)?.pending ?? 0) === 0 };
    } catch (error) {
      if (!isTransient(error) && !hasStatus(error, nobodyThere)) {
        throw error;
      }
      if (attempt === attempts) {
        throw new DomainError("log_unavailable", "The log cannot be read; try again later.", {
          fields: { stream },
          cause: error,
        });
      }
      await delay(50 * 2 ** attempt);
    }
  }
};

/**
 * One question to the server. With a callback, the client gives its subscription back at the end
 * (it keeps that of an iterator), and a connection that breaks in the midst of the answer ends it.
 */
const request = (
  { jsm }: EventStore,
  stream: string,
  query: {
    readonly next_by_subj: string;
    readonly seq: number;
    readonly batch: number;
    readonly max_bytes: number;
  },
): Promise<readonly StoredMsg[]> =>
  new Promise((resolve, reject) => {
    const messages: StoredMsg[] = [];
    const answer = jsm.direct.getBatch(stream, {
      ...query,
      callback: (done, message) => {
        if (!done) {
          messages.push(message);
          silence.refresh();
          return;
        }
        clearTimeout(silence);
        if (done.err && !hasStatus(done.err, notFound)) {
          reject(done.err);
        } else {
          resolve(messages);
        }
      },
    });
    const silence = setTimeout(() => {
      answer.then((open) => open.stop(new natsErrors.TimeoutError()), reject);
    }, silenceMs);
    answer.catch((error: Error) => {
      clearTimeout(silence);
      reject(error);
    });
  });

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof JetStreamStatusError && error.code === status;
