/**
 * Deletes sessions, with what was written in them, that nobody has used for as long as was set. Whatever a
 * person does with a session sets its timer anew; a timer that fires nevertheless looks once more.
 */
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import type { Leases } from "#event-store/leases/leases";
import type { Log } from "#event-store/log";
import { requestOwner } from "#event-store/live/owner-requests";
import { startReactor } from "#event-store/workers/reactor";
import type { TimerHandler } from "#event-store/timers/timers";
import type { Worker } from "#event-store/workers/worker";
import { sessionAggregate } from "../aggregate/decider.ts";
import { loadSession } from "../session-log.ts";
import { lastAnswered } from "../idle/at-rest.ts";
import { isInUse } from "../idle/in-use.ts";
import { rests } from "./auto-delete-days.ts";
import {
  allowedMs,
  dueAtRest,
  type LookDeps,
  lookSchema,
  retentionTimer,
  setLook,
} from "./looks.ts";

/** The events that show that somebody uses the session, or that begin a new time. */
const uses = [
  "SessionCreated",
  "PromptQueued",
  "PromptFinished",
  "ResumeRequested",
  "SessionRenamed",
  "AutoDeleteSet",
] as const;

export interface RetentionDeps extends LookDeps {
  /** Of the tool calls that are being carried out. */
  readonly leases: Leases;
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
      if (state.status === "none" || state.status === "stopped") return;
      const look = { organization, session, after: lastAnswered(state) };
      await setLook(deps, look, state, (allowed) => Date.now() + allowed);
    },
  });

/** The handler of fired timers. */
export const lookForUnused =
  (deps: RetentionDeps): TimerHandler =>
  async ({ data, key, firingId, trace }) => {
    const { store, log } = deps;
    const look = lookSchema.parse(data);
    const { organization, session } = look;
    const state = await loadSession(store, look);
    // Whatever goes on sets a timer of its own once it is over.
    if (!rests(state) || lastAnswered(state) !== look.after) return;
    const allowed = await allowedMs(deps, look, state);
    if (allowed === null) return;
    const due = (ms: number) => dueAtRest(deps, look, state, ms);
    // The rule may have been another one when the timer was set.
    if (Date.now() < (await due(allowed))) return setLook(deps, look, state, due);
    if (await isInUse(deps, look)) return setLook(deps, look, state, (ms) => Date.now() + ms);
    const actor = { kind: "timer", id: key, via: retentionTimer } as const;
    const meta = newCommandMeta({ actor, commandId: firingId, trace });
    const command = { type: "DeleteSession", erase: true } as const;
    await execute(store, sessionAggregate, { organization, id: session }, command, meta);
    try {
      await requestOwner(store, session, "wake");
    } catch (error) {
      // Only to save time: the runners' activator finds the command in the log.
      log.warn({ err: error, sessionId: session }, "could not nudge the session's owner");
    }
  };
