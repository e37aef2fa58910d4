/**
 * What an agent in a loop must not do: ask for more actions than anybody can follow, or bury its approver.
 * Both limits hold across all gateways, exactly: a session's numbers are one value, and each invocation
 * changes the newest one.
 */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { idSchema, type InvocationId, type OrganizationId, type SessionId } from "#contracts/ids";
import { type Cells, openCells } from "#event-store/cells";
import type { EventStore } from "#event-store/event-store";
import { createKeyedQueue } from "../../keyed-queue.ts";
import { findInvocation } from "../invocation/invocation-log.ts";

export const maxPendingPerSession = 10;
export const maxInvocationsPerMinute = 60;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** After this an invocation that was let in and is not in the log will never be, in milliseconds. */
const abandonedAfterMs = minuteMs;

export interface SessionKey {
  readonly organization: OrganizationId;
  readonly sessionId: SessionId;
}

const entrySchema = z.object({ id: idSchema("invocation"), at: z.number() });
type Entry = z.infer<typeof entrySchema>;

const usageSchema = z.object({
  /** What was asked for within the last minute, by when. */
  recent: z.array(entrySchema),
  /** What was let in to wait for a person; some of it may have been resolved since. */
  waiting: z.array(entrySchema),
});
type SessionUsage = z.infer<typeof usageSchema>;

export interface SessionLimits {
  /**
   * Counts an invocation among those of the last minute; one that was counted before is not counted again.
   *
   * @throws DomainError `too_many_invocations`
   */
  countCall(session: SessionKey, id: InvocationId): Promise<void>;
  /**
   * Takes one of the session's places for what waits for a person.
   *
   * @throws DomainError `too_many_pending_invocations`
   */
  takePlace(session: SessionKey, id: InvocationId): Promise<void>;
}

/** @param clock the gateways' clocks should agree within seconds; the limit per minute is off by as much */
export const openSessionLimits = async (
  store: EventStore,
  clock: () => Date,
): Promise<SessionLimits> => {
  const cells = await openCells(store, {
    name: "action_limits",
    schema: usageSchema,
    // No request for approval waits longer than a day.
    ttlMs: 25 * hourMs,
  });
  const queue = createKeyedQueue();
  return {
    countCall: ({ sessionId }, id) =>
      queue.run(sessionId, async () => {
        await cells.change(sessionId, (usage) => counted(usage, { id, at: clock().getTime() }));
      }),
    takePlace: (session, id) =>
      queue.run(session.sessionId, () => takePlace({ store, cells, clock }, session, id)),
  };
};

const empty: SessionUsage = { recent: [], waiting: [] };

/** With one call more, and without those of more than a minute ago. Pure. */
const counted = (usage: SessionUsage | null, call: Entry): SessionUsage => {
  const { recent, waiting } = usage ?? empty;
  const within = recent.filter(({ at }) => at > call.at - minuteMs);
  if (within.some(({ id }) => id === call.id)) return { recent: within, waiting };
  if (within.length >= maxInvocationsPerMinute) {
    throw new DomainError(
      "too_many_invocations",
      `A session may ask for ${maxInvocationsPerMinute} actions a minute; wait a little.`,
      { fields: { limit: maxInvocationsPerMinute } },
    );
  }
  return { recent: [...within, call], waiting };
};

/** With one place more taken, and without those that are known to be free. Pure. */
const placed = (
  usage: SessionUsage | null,
  place: Entry,
  free: ReadonlySet<InvocationId>,
): SessionUsage => {
  const { recent, waiting } = usage ?? empty;
  const taken = waiting.filter(({ id }) => !free.has(id));
  if (taken.some(({ id }) => id === place.id)) return { recent, waiting: taken };
  if (taken.length >= maxPendingPerSession) {
    throw new DomainError(
      "too_many_pending_invocations",
      `${maxPendingPerSession} actions of this session wait for approval already.`,
      { fields: { limit: maxPendingPerSession } },
    );
  }
  return { recent, waiting: [...taken, place] };
};

interface PlaceDeps {
  readonly store: EventStore;
  readonly cells: Cells<SessionUsage>;
  readonly clock: () => Date;
}

/**
 * Nobody gives places back: only when all are taken is it looked up in the log which of them still wait.
 * So no place is lost with a process that dies.
 */
const takePlace = async (
  { store, cells, clock }: PlaceDeps,
  { organization, sessionId }: SessionKey,
  id: InvocationId,
): Promise<void> => {
  const now = clock().getTime();
  const free = new Set<InvocationId>();
  const looked = new Set<InvocationId>();
  for (;;) {
    let waiting: readonly Entry[] = [];
    try {
      await cells.change(sessionId, (usage) => {
        waiting = usage?.waiting ?? [];
        return placed(usage, { id, at: now }, free);
      });
      return;
    } catch (error) {
      const unknown = waiting.filter((place) => !looked.has(place.id));
      if (!(error instanceof DomainError) || unknown.length === 0) throw error;
      for (const place of unknown) {
        looked.add(place.id);
        if (await isFree(store, { organization, ...place }, now)) free.add(place.id);
      }
    }
  }
};

/** Whether the invocation that took a place has been resolved, or never came. */
const isFree = async (
  store: EventStore,
  { organization, id, at }: Entry & Pick<SessionKey, "organization">,
  now: number,
): Promise<boolean> => {
  const found = await findInvocation(store, { organization, id });
  return found ? found.state.status !== "pending" : now - at > abandonedAfterMs;
};
