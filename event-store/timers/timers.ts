/**
 * Timers are scheduled messages of the server (NATS ADR-51), one subject each: scheduling the same
 * key again replaces the timer. Only this folder publishes to the stream, since a schedule may name any
 * subject of its stream as its target.
 */
import { JetStreamApiError } from "@nats-io/jetstream";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { derivedId, type Id } from "#contracts/ids";
import type { EventStore } from "../event-store.ts";
import type { Log } from "../log.ts";
import {
  guardNextFiring,
  guardSubject,
  isMissed,
  missedSubject,
  type TimerSubjects,
} from "./missed-ticks.ts";
import { timersStream } from "../topology/streams.ts";
import { messagingAttributes } from "../tracing/commit-attributes.ts";
import type { Traceparent } from "../tracing/tracing.ts";
import type { WorkMessage } from "../workers/work-message.ts";
import { inWorkSpan } from "../workers/work-span.ts";
import { type Handled, startWorker, type Worker } from "../workers/worker.ts";

const contentSchema = z.object({
  kind: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** When it should fire; absent from a repeating timer. */
  dueAt: z.iso.datetime().optional(),
});

/** What a timer is for, and what its handler gets to know. */
export interface TimerContent {
  /** Letters, digits, `-`, `_` and `.`. */
  readonly key: string;
  /** Names the handler. */
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A timer that has fired. */
export interface Timer extends TimerContent {
  /** ISO 8601 instant in UTC: when it should have fired, or the second in which a repeating one did. */
  readonly dueAt: string;
  /** The same for each repetition of this firing: the id for the command that it leads to. */
  readonly firingId: Id<"command">;
  /** What the commands that it leads to are a part of: a trace begins with the firing. */
  readonly trace?: Traceparent | undefined;
}

/** How long a firing is kept after it was stored, handled or not. */
const firingTtl = "168h";
/** The server's answers to a pattern and to a time zone that it does not know. */
const refusedSchedules = new Set([10189, 10223]);

const scheduleSubject = (key: string): string => `timer.schedule.${key}`;
const firedSubject = (key: string): string => `timer.fired.${key}`;

/** Sets a timer, or replaces the one of the same key. It fires once `at` has come, or at once if it has. */
export const scheduleTimer = async (
  { js }: EventStore,
  { key, at, kind, data }: TimerContent & { readonly at: Date },
): Promise<void> => {
  await js.publish(scheduleSubject(key), JSON.stringify({ kind, data, dueAt: at.toISOString() }), {
    schedule: { specification: at, target: firedSubject(key), ttl: firingTtl },
  });
};

/**
 * Sets a repeating timer, or replaces the timer of the same key.
 *
 * @param timer `cron` has six fields, seconds first: `0 30 9 * * 1-5` is half past nine on weekdays.
 *   `timeZone` is an IANA name. At the change to summer time an hour that does not exist is left out,
 *   at the change back the hour that comes twice counts twice.
 * @throws DomainError `request_invalid` for a pattern or time zone that the server does not know
 */
export const scheduleCron = async (
  { js }: EventStore,
  timer: TimerContent & { readonly cron: string; readonly timeZone: string },
): Promise<void> => {
  const { key, kind, data, cron, timeZone } = timer;
  const invalid = (cause?: unknown): DomainError =>
    new DomainError(
      "request_invalid",
      "This is not a schedule of six fields in a known time zone.",
      {
        fields: { cron, timeZone },
        cause,
      },
    );
  if (cron.trim().split(/\s+/).length !== 6) {
    throw invalid();
  }
  try {
    await js.publish(scheduleSubject(key), JSON.stringify({ kind, data }), {
      schedule: {
        specification: cron,
        target: firedSubject(key),
        timezone: timeZone,
        ttl: firingTtl,
      },
    });
  } catch (error) {
    throw error instanceof JetStreamApiError && refusedSchedules.has(error.code)
      ? invalid(error)
      : error;
  }
};

/** Cancels a timer; one that has fired already, or never was, stays so. */
export const cancelTimer = async ({ jsm }: EventStore, key: string): Promise<void> => {
  await jsm.streams.purge(timersStream, { filter: scheduleSubject(key) });
  await jsm.streams.purge(timersStream, { filter: guardSubject(key) });
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
    subjects: [firedSubject(">"), missedSubject(">")],
    log,
    handle: async (message, attempt) => {
      const missed = message.subject.startsWith(missedSubject(""));
      const key = message.subject.slice((missed ? missedSubject("") : firedSubject("")).length);
      const timer = readTimer(message, key);
      const subjects = subjectsOf(key);
      if (missed) {
        if (!(await isMissed(store, message, subjects))) {
          return;
        }
        log.warn({ key, dueAt: timer.dueAt }, "a timer is made up for that did not fire");
      } else {
        await guardNextFiring(store, message, timer, subjects);
      }
      const handler = handlers[timer.kind];
      if (!handler) {
        throw new Error(`No handler for timers of the kind "${timer.kind}".`);
      }
      const attributes = {
        ...messagingAttributes("process", timersStream),
        "proliferate.timer": key,
      };
      const options = { name: `timer ${timer.kind}`, kind: "consumer", attributes } as const;
      return inWorkSpan(store.tracing, attempt, options, (trace) => handler({ ...timer, trace }));
    },
  });

const subjectsOf = (key: string): TimerSubjects => ({
  key,
  schedule: scheduleSubject(key),
  fired: firedSubject(key),
  ttl: firingTtl,
});

const readTimer = (message: WorkMessage, key: string): Omit<Timer, "trace"> => {
  const { kind, data, dueAt = secondOf(message.storedAt) } = contentSchema.parse(message.json());
  return { key, kind, data, dueAt, firingId: derivedId("command", "timer", key, dueAt) };
};

/** The server is late by a fraction of a second. */
const secondOf = (instant: Date): string =>
  new Date(Math.floor(instant.getTime() / 1_000) * 1_000).toISOString();
