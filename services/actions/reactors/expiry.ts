/**
 * Requests for approval do not wait for ever: a timer is set for each and, when it fires, the decider
 * says whether the invocation still waits.
 */
import { z } from "zod";
import type { SessionOrigin } from "#contracts/session/events";
import { idSchema } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { startReactor } from "#event-store/workers/reactor";
import { cancelTimer, scheduleTimer, type TimerHandler } from "#event-store/timers/timers";
import type { Worker } from "#event-store/workers/worker";
import { executeOnInvocation } from "../invocation/invocation-log.ts";
import { approvalRequestOf, invocationEventsOf, keyOf } from "../invocation/reaction.ts";

/** The kind of the timers; {@link expireInvocation} is its handler. */
export const invocationExpiryTimer = "invocation-expiry";

const minuteMs = 60_000;

/** How long a request for approval waits, in milliseconds: nobody sits in front of an automation. */
export const approvalLifetimeMs: Readonly<Record<SessionOrigin["kind"], number>> = {
  user: 5 * minuteMs,
  automation: 24 * 60 * minuteMs,
};

const timerKey = (invocationId: string): string => `${invocationExpiryTimer}.${invocationId}`;

const dataSchema = z.object({
  organization: idSchema("organization"),
  invocationId: idSchema("invocation"),
});

/**
 * Sets a timer for each request for approval and takes it back when it is resolved. Commits may come
 * in any order, so a timer may outlive its invocation; that changes nothing when it fires.
 */
export const startExpiryScheduler = (store: EventStore, log: Log): Promise<Worker> =>
  startReactor(store, {
    name: invocationExpiryTimer,
    aggregates: ["invocation"],
    events: ["ActionInvoked", "ActionApproved", "ActionDenied"],
    log,
    react: async (recorded) => {
      const { organization, id: invocationId } = keyOf(recorded);
      const request = approvalRequestOf(recorded);
      if (request?.expiresAt) {
        await scheduleTimer(store, {
          key: timerKey(invocationId),
          at: new Date(request.expiresAt),
          kind: invocationExpiryTimer,
          data: { organization, invocationId } satisfies z.infer<typeof dataSchema>,
        });
        return;
      }
      const [first] = invocationEventsOf(recorded);
      if (first?.type === "ActionApproved" || first?.type === "ActionDenied") {
        await cancelTimer(store, timerKey(invocationId));
      }
    },
  });

/** The handler of fired timers. */
export const expireInvocation =
  (store: EventStore, clock: () => Date = () => new Date()): TimerHandler =>
  async ({ data, dueAt, key, firingId, trace }) => {
    const { organization, invocationId } = dataSchema.parse(data);
    // The server has fired by its own clock; ours may be behind, and must not call it too early.
    const now = new Date(Math.max(clock().getTime(), Date.parse(dueAt)));
    await executeOnInvocation(
      store,
      { organization, id: invocationId },
      { type: "ExpireAction", now: now.toISOString() },
      newCommandMeta({
        actor: { kind: "timer", id: key, via: invocationExpiryTimer },
        commandId: firingId,
        trace,
      }),
    );
  };
