/**
 * Handing given-up messages to their workers again. An operator's wish is a message of its own, which
 * stays until a worker of that name has handled what it points at: success removes the letter, failure
 * renews it. A wish that is repeated, or that outlives its worker, is handled at least once.
 */
import type { JsMsg, StoredMsg } from "@nats-io/jetstream";
import { DomainError } from "#contracts/errors";
import {
  findDeadLetter,
  keepDeadLetter,
  removeDeadLetter,
  type StoredDeadLetter,
} from "./dead-letters.ts";
import { startDurableLoop, type Worker } from "./durable-loop.ts";
import type { EventStore } from "../event-store.ts";
import { failureOf, withFailure } from "./failures.ts";
import type { Log } from "../log.ts";
import { deadLetterStream } from "../topology/streams.ts";
import type { WorkHandler, WorkMessage } from "./work-message.ts";

const requeueConcurrency = 4;
const retryAfterTroubleMs = 5_000;
const subjectPrefix = "requeue.";

/**
 * Asks the worker of a letter to handle its message again; it does so as soon as one runs.
 *
 * @throws DomainError `not_found` when there is no such letter, or its message is not kept any more
 */
export const requeueDeadLetter = async (store: EventStore, id: string): Promise<void> => {
  const stored = await findDeadLetter(store, id);
  if (!stored || stored.letter.dropped) {
    throw new DomainError("not_found", `There is no dead letter "${id}".`, { fields: { id } });
  }
  if (!(await originalOf(store, stored))) {
    throw messageGone(stored);
  }
  await store.js.publish(`${subjectPrefix}${id}`, "");
};

/** The message that a letter points at; null when it is not kept any more. */
export const originalOf = (
  { jsm }: EventStore,
  { letter: { stream, sequence } }: StoredDeadLetter,
): Promise<StoredMsg | null> => jsm.streams.getMessage(stream, { seq: sequence });

const messageGone = ({ id }: StoredDeadLetter): DomainError =>
  new DomainError("not_found", `The message of the dead letter "${id}" is not kept any more.`, {
    fields: { id },
  });

export interface RequeueLoopOptions {
  readonly name: string;
  readonly handle: WorkHandler;
  readonly log: Log;
}

/** Starts handling what operators hand to the worker of this name again. */
export const startRequeueLoop = (store: EventStore, options: RequeueLoopOptions): Promise<Worker> =>
  startDurableLoop(store, {
    stream: deadLetterStream,
    durable: `requeue-${options.name}`,
    subjects: [`${subjectPrefix}${options.name}.>`],
    concurrency: requeueConcurrency,
    handle: async (wish) => {
      try {
        await handleWish(store, wish, options);
      } catch (error) {
        // The log itself is in trouble: the wish stays, and comes again.
        options.log.error({ worker: options.name, err: error }, "a requeued message must wait");
        wish.nak(retryAfterTroubleMs);
      }
    },
  });

const handleWish = async (
  store: EventStore,
  wish: JsMsg,
  { name, handle, log }: RequeueLoopOptions,
): Promise<void> => {
  const stored = await findDeadLetter(store, wish.subject.slice(subjectPrefix.length));
  // Handled by another wish before, or dropped since.
  if (stored && !stored.letter.dropped) {
    const { letter } = stored;
    const attempt = letter.attempts + wish.info.deliveryCount;
    try {
      const original = await originalOf(store, stored);
      if (!original) {
        throw messageGone(stored);
      }
      const handled = await handle(workMessageOf(original), attempt);
      if (handled) {
        wish.nak(handled.retryInMs);
        return;
      }
      await removeDeadLetter(store, stored);
      log.info({ worker: name, letter: stored.id }, "a dead letter was handled after all");
    } catch (error) {
      store.observer?.messageFailed(name);
      log.warn({ worker: name, letter: stored.id, err: error }, "a requeued message failed again");
      await keepDeadLetter(store, {
        ...letter,
        attempts: attempt,
        requeues: letter.requeues + 1,
        history: withFailure(letter.history, failureOf(error, attempt)),
      });
    }
  }
  await store.jsm.streams.purge(deadLetterStream, { filter: wish.subject, seq: wish.seq + 1 });
  wish.ack();
};

/** A message as it stands in its stream, as a handler sees it. */
const workMessageOf = (message: StoredMsg): WorkMessage => ({
  subject: message.subject,
  seq: message.seq,
  data: message.data,
  storedAt: message.time,
  header: (name) => message.header.get(name),
  json: () => message.json(),
});
