/**
 * Gives the sandboxes of sessions back that nobody uses. A timer of each session looks at it twice
 * within the time that a session may be idle; what two looks in a row find at rest and unused is put
 * away. So the last watcher of a session has at least half of that time to come back. A session of an
 * automation that nobody watches is put away as soon as it is at rest.
 */
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import type { Leases } from "#event-store/leases/leases";
import type { Log } from "#event-store/log";
import { requestOwner } from "#event-store/live/owner-requests";
import { startReactor } from "#event-store/workers/reactor";
import { scheduleTimer, type TimerHandler } from "#event-store/timers/timers";
import type { Worker } from "#event-store/workers/worker";
import { sessionAggregate } from "../aggregate/decider.ts";
import { loadSession } from "../session-log.ts";
import { isAtRest, lastAnswered } from "./at-rest.ts";
import { isInUse } from "./in-use.ts";

/** The kind of the timers; {@link lookForIdle} is its handler. */
export const idleLookTimer = "session-idle-look";

const looksUntilIdle = 2;

/** The events after which a session may have nothing left to do. */
const ends = [
  "SandboxReady",
  "PromptFinished",
  "SnapshotTaken",
  "SnapshotFailed",
  "ServicesTried",
  "ResumeRequested",
] as const;

const lookSchema = z.object({
  organization: idSchema("organization"),
  session: idSchema("session"),
  /** The newest prompt that was answered when the session came to rest. */
  after: idSchema("prompt").nullable(),
  /** How many looks in a row have found the session unused. */
  quietLooks: z.int().nonnegative(),
});
type Look = z.infer<typeof lookSchema>;

export interface IdleWatchDeps {
  readonly store: EventStore;
  /** Of the tool calls that are being carried out. */
  readonly leases: Leases;
  /** How long a session may be idle. */
  readonly idleMs: number;
  readonly log: Log;
}

/** Sets the timer of each session that comes to rest; a new one replaces the one before. */
export const startIdleWatch = ({ store, idleMs, log }: IdleWatchDeps): Promise<Worker> =>
  startReactor(store, {
    name: "session-idle",
    aggregates: ["session"],
    events: ends,
    log,
    react: async ({ ref }) => {
      const { organization, session } = lookSchema
        .pick({ organization: true, session: true })
        .parse({ organization: ref.organization, session: ref.id });
      const state = await loadSession(store, { organization, session });
      if (state.status === "none") return;
      const after = lastAnswered(state);
      if (!isAtRest(state, after)) return;
      const look = { organization, session, after };
      // Nobody is about to come back to what an automation has done.
      await (state.origin.kind === "automation"
        ? setLook(store, { ...look, quietLooks: looksUntilIdle - 1 }, 0)
        : setLook(store, { ...look, quietLooks: 0 }, idleMs / looksUntilIdle));
    },
  });

/** The handler of fired timers. */
export const lookForIdle =
  (deps: IdleWatchDeps): TimerHandler =>
  async ({ data, key, firingId, trace }) => {
    const { store, log } = deps;
    const look = lookSchema.parse(data);
    const { organization, session, after } = look;
    const state = await loadSession(store, look);
    // Whatever has changed sets a timer of its own once it is over.
    if (!isAtRest(state, after)) return;
    const quietLooks = (await isInUse(deps, { organization, session })) ? 0 : look.quietLooks + 1;
    if (quietLooks < looksUntilIdle) {
      await setLook(store, { ...look, quietLooks }, deps.idleMs / looksUntilIdle);
      return;
    }
    const actor = { kind: "timer", id: key, via: idleLookTimer } as const;
    const meta = newCommandMeta({ actor, commandId: firingId, trace });
    const aggregate = { organization, id: session };
    await execute(store, sessionAggregate, aggregate, { type: "RequestIdlePause", after }, meta);
    try {
      await requestOwner(store, session, "wake");
    } catch (error) {
      // Only to save time: the runners' activator finds the request in the log.
      log.warn({ err: error, sessionId: session }, "could not nudge the session's owner");
    }
  };

const setLook = (store: EventStore, look: Look, inMs: number): Promise<void> =>
  scheduleTimer(store, {
    key: `${idleLookTimer}.${look.session}`,
    at: new Date(Date.now() + inMs),
    kind: idleLookTimer,
    data: look,
  });
