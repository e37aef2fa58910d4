/**
 * Repetitions that fall into an outage. A server that was killed goes on with a repeating timer at the
 * next time after its start, and what was due meanwhile is gone. So each firing sets a guard for the
 * one after it, a timer that fires once and does survive: it is replaced when the firing comes, and
 * takes its place when it does not.
 */
import { z } from "zod";
import type { EventStore } from "../event-store.ts";
import { timersStream } from "../topology/streams.ts";
import type { WorkMessage } from "../workers/work-message.ts";

const guardSchema = z.object({
  kind: z.string(),
  data: z.record(z.string(), z.unknown()),
  dueAt: z.iso.datetime(),
  /** The sequence of the schedule that it belongs to: another one needs no guard of this one. */
  schedule: z.int(),
});

/** Longer than a cluster takes to find a new leader. */
const longestPatienceMs = 10_000;

export const guardSubject = (key: string): string => `timer.guard.${key}`;
export const missedSubject = (key: string): string => `timer.missed.${key}`;

/** The subjects of a timer, and how long what fires is kept. */
export interface TimerSubjects {
  readonly key: string;
  readonly schedule: string;
  readonly fired: string;
  readonly ttl: string;
}

/** Sets the guard for the firing after this one. Only the newest firing of a timer speaks for the next. */
export const guardNextFiring = async (
  { js, jsm }: EventStore,
  message: WorkMessage,
  content: { readonly kind: string; readonly data: Readonly<Record<string, unknown>> },
  { key, schedule, fired, ttl }: TimerSubjects,
): Promise<void> => {
  // A timer that fires once says `purge` here.
  const next = Date.parse(message.header("Nats-Schedule-Next"));
  if (Number.isNaN(next)) {
    return;
  }
  const [scheduled, newest] = await Promise.all([
    jsm.streams.getMessage(timersStream, { last_by_subj: schedule }),
    jsm.streams.getMessage(timersStream, { last_by_subj: fired }),
  ]);
  if (!scheduled || newest?.seq !== message.seq) {
    return;
  }
  const patienceMs = Math.min(longestPatienceMs, (next - message.storedAt.getTime()) / 2);
  const { kind, data } = content;
  const guard: z.infer<typeof guardSchema> = {
    kind,
    data,
    dueAt: new Date(next).toISOString(),
    schedule: scheduled.seq,
  };
  await js.publish(guardSubject(key), JSON.stringify(guard), {
    schedule: { specification: new Date(next + patienceMs), target: missedSubject(key), ttl },
  });
};

/** Whether the firing of a guard is to be made up for: it has not come, and its timer is still set. */
export const isMissed = async (
  { jsm }: EventStore,
  message: WorkMessage,
  { schedule, fired }: TimerSubjects,
): Promise<boolean> => {
  const guard = guardSchema.parse(message.json());
  const [scheduled, newest] = await Promise.all([
    jsm.streams.getMessage(timersStream, { last_by_subj: schedule }),
    jsm.streams.getMessage(timersStream, { last_by_subj: fired }),
  ]);
  const came = newest !== null && newest.time.getTime() >= Date.parse(guard.dueAt);
  return scheduled?.seq === guard.schedule && !came;
};
