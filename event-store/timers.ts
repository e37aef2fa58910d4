/**
 * Timers are scheduled messages of the server (NATS ADR-51), one subject each: scheduling the same
 * key again replaces the timer. Only this file publishes to the stream, since a schedule may name any
 * subject of its stream as its target.
 */
import { z } from "zod";
import type { EventStore } from "./event-store.ts";
import type { Log } from "./log.ts";
import { timersStream } from "./topology/streams.ts";
import { type Handled, startWorker, type Worker } from "./worker.ts";

const timerSchema = z.object({
  kind: z.string(),
  data: z.record(z.string(), z.unknown()),
  dueAt: z.iso.datetime(),
});

export interface Timer extends z.infer<typeof timerSchema> {
  /** What the timer is for; letters, digits, `-`, `_` and `.`. */
  readonly key: string;
}

const scheduleSubject = (key: string): string => `timer.schedule.${key}`;
const firedSubject = (key: string): string => `timer.fired.${key}`;

/** Sets a timer, or replaces the one of the same key. It fires once `at` has come, or at once if it has. */
export const scheduleTimer = async (
  { js }: EventStore,
  timer: {
    readonly key: string;
    readonly at: Date;
    readonly kind: string;
    readonly data: Readonly<Record<string, unknown>>;
  },
): Promise<void> => {
  const { key, at, kind, data } = timer;
  await js.publish(scheduleSubject(key), JSON.stringify({ kind, data, dueAt: at.toISOString() }), {
    schedule: { specification: at, target: firedSubject(key) },
  });
};

/** Cancels a timer; one that has fired already, or never was, stays so. */
export const cancelTimer = async ({ jsm }: EventStore, key: string): Promise<void> => {
  await jsm.streams.purge(timersStream, { filter: scheduleSubject(key) });
};

export type TimerHandler = (timer: Timer) => Promise<Handled>;

/** Starts the worker that hands fired timers to the handler of their kind, at least once each. */
export const startTimerWorker = (
  store: EventStore,
  {
    handlers,
    log,
  }: { readonly handlers: Readonly<Record<string, TimerHandler>>; readonly log: Log },
): Promise<Worker> =>
  startWorker(store, {
    stream: timersStream,
    name: "timers",
    subjects: ["timer.fired.>"],
    log,
    handle: async (message) => {
      const timer = timerSchema.parse(message.json());
      const handler = handlers[timer.kind];
      if (!handler) {
        throw new Error(`No handler for timers of the kind "${timer.kind}".`);
      }
      return handler({ ...timer, key: message.subject.slice(firedSubject("").length) });
    },
  });
