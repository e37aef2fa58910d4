/**
 * Deletes sessions, with what was written in them, that nobody has used for as long as was set. Whatever a
 * person does with a session sets its timer anew; a timer that fires nevertheless looks once more.
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
import { sessionAggregate } from "../decider.ts";
import { loadSession } from "../session-log.ts";
import { lastAnswered } from "../idle/at-rest.ts";
import { isInUse } from "../idle/in-use.ts";
import type { SessionState } from "../state.ts";

/** The kind of the timers; {@link lookForUnused} is its handler. */
export const retentionTimer = "session-retention";

const dayMs = 24 * 3_600_000;

/** The events that show that somebody uses the session, or that begin a new time. */
const uses = [
  "SessionCreated",
  "PromptQueued",
  "PromptFinished",
  "ResumeRequested",
  "SessionRenamed",
  "AutoDeleteSet",
] as const;

const lookSchema = z.object({
  organization: idSchema("organization"),
  session: idSchema("session"),
  /** The newest prompt that was answered when the time began. */
  after: idSchema("prompt").nullable(),
});
type Look = z.infer<typeof lookSchema>;

export interface RetentionDeps {
  readonly store: EventStore;
  /** Of the tool calls that are being carried out. */
  readonly leases: Leases;
  /** For sessions of which nobody has said anything else; null: never. */
  readonly defaultDays: number | null;
  /** The length of a day; for tests. */
  readonly dayMs?: number;
  readonly log: Log;
}

export const startRetentionWatch = (deps: RetentionDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name: retentionTimer,
    aggregates: ["session"],
    events: uses,
    log: deps.log,
    react: async ({ ref }) => {
      const { organization, session } = lookSchema
        .omit({ after: true })
        .parse({ organization: ref.organization, session: ref.id });
      const state = await loadSession(deps.store, { organization, session });
      const after = state.status === "none" ? null : lastAnswered(state);
      await setLook(deps, state, { organization, session, after });
    },
  });

/** The handler of fired timers. */
export const lookForUnused =
  (deps: RetentionDeps): TimerHandler =>
  async ({ data, key, firingId }) => {
    const { store, log } = deps;
    const look = lookSchema.parse(data);
    const { organization, session } = look;
    const state = await loadSession(store, look);
    // Whatever goes on sets a timer of its own once it is over.
    if (daysOf(deps, state) === null || !isUnused(state, look)) return;
    if (await isInUse(deps, look)) return setLook(deps, state, look);
    const actor = { kind: "timer", id: key, via: retentionTimer } as const;
    const meta = newCommandMeta({ actor, commandId: firingId });
    const command = { type: "DeleteSession", erase: true } as const;
    await execute(store, sessionAggregate, { organization, id: session }, command, meta);
    try {
      await requestOwner(store, session, "wake");
    } catch (error) {
      // Only to save time: the runners' activator finds the command in the log.
      log.warn({ err: error, sessionId: session }, "could not nudge the session's owner");
    }
  };

const isUnused = (state: SessionState, { after }: Look): boolean =>
  state.status !== "none" && state.prompts.length === 0 && lastAnswered(state) === after;

/** Null for a session that stays, and for one that is deleted already. */
const daysOf = ({ defaultDays }: RetentionDeps, state: SessionState): number | null => {
  if (state.status === "none" || state.status === "stopped") return null;
  return state.autoDeleteDays === undefined ? defaultDays : state.autoDeleteDays;
};

/** A new timer takes the place of the one before. */
const setLook = async (deps: RetentionDeps, state: SessionState, look: Look): Promise<void> => {
  const days = daysOf(deps, state);
  if (days === null) return;
  await scheduleTimer(deps.store, {
    key: `${retentionTimer}.${look.session}`,
    at: new Date(Date.now() + days * (deps.dayMs ?? dayMs)),
    kind: retentionTimer,
    data: look,
  });
};
