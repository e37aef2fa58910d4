/**
 * Looks after sessions before their provider ends their sandbox. A timer of each such sandbox finds the
 * session in use, and asks its owner to move it, or at rest and unused, and has it put away. Where the move
 * fails, the next timer follows, as long as the sandbox lasts.
 */
import { z } from "zod";
import { idSchema, type OrganizationId, type SessionId } from "#contracts/ids";
import type { SessionCommand } from "#contracts/session/commands";
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
import { findSession } from "../session-log.ts";
import { isAtRest, lastAnswered } from "../idle/at-rest.ts";
import { isInUse } from "../idle/in-use.ts";
import type { ExistingSession } from "../aggregate/state.ts";

/** The kind of the timers; {@link lookForExpiry} is its handler. */
export const expiryLookTimer = "session-expiry-look";

/** Longest between two attempts, however often they have failed. */
const longestRetryMs = 60_000;

const lookSchema = z.object({
  organization: idSchema("organization"),
  session: idSchema("session"),
  sandboxId: z.string(),
});
type Look = z.infer<typeof lookSchema>;

export interface ExpiryWatchDeps {
  readonly store: EventStore;
  /** Of the tool calls that are being carried out. */
  readonly leases: Leases;
  /** How long before the end of a sandbox its session is to leave it. */
  readonly graceMs: number;
  /** After the first failure, and twice as long after each further one. */
  readonly retryMs: number;
  readonly log: Log;
}

/** Sets the timer of each sandbox that ends by itself; a new one of the session replaces the one before. */
export const startExpiryWatch = (deps: ExpiryWatchDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name: "session-expiry",
    aggregates: ["session"],
    events: ["SandboxReady", "SandboxMigrated", "MigrationFailed"],
    log: deps.log,
    react: async ({ ref, commit }) => {
      const failed = commit.events.some(({ type }) => type === "MigrationFailed");
      const key = {
        organization: ref.organization as OrganizationId,
        session: ref.id as SessionId,
      };
      const state = await findSession(deps.store, key);
      if (state?.status !== "running" || state.expiresAt === null) return;
      const expiresAt = Date.parse(state.expiresAt);
      const now = Date.now();
      // Never at a time that has passed: the timer of an earlier owner's sandbox has fired for that one.
      const at = failed ? now + retryIn(state, deps) : Math.max(expiresAt - deps.graceMs, now);
      if (at < expiresAt) await setLook(deps, { ...key, sandboxId: state.sandboxId }, at);
    },
  });

const retryIn = (
  { migrationFailures }: ExistingSession,
  { retryMs }: Pick<ExpiryWatchDeps, "retryMs">,
): number => Math.min(retryMs * 2 ** Math.max(0, migrationFailures - 1), longestRetryMs);

/** The handler of fired timers. */
export const lookForExpiry =
  (deps: ExpiryWatchDeps): TimerHandler =>
  async ({ data, key, firingId, trace }) => {
    const look = lookSchema.parse(data);
    const { organization, session, sandboxId } = look;
    const state = await findSession(deps.store, { organization, session });
    // What is away, or comes back, or was moved has or gets a timer of its own.
    if (state?.status !== "running" || state.sandboxId !== sandboxId) return;
    const after = lastAnswered(state);
    const unused = isAtRest(state, after) && !(await isInUse(deps, { organization, session }));
    if (unused) {
      // Somebody may come back before it is away, and call the pause off.
      await setLook(deps, look, Date.now() + deps.retryMs);
    }
    const command: SessionCommand = unused
      ? { type: "RequestIdlePause", after }
      : { type: "RequestMigration", sandboxId };
    const actor = { kind: "timer", id: key, via: expiryLookTimer } as const;
    const meta = newCommandMeta({ actor, commandId: firingId, trace });
    await execute(deps.store, sessionAggregate, { organization, id: session }, command, meta);
    try {
      await requestOwner(deps.store, session, "wake");
    } catch (error) {
      // Only to save time: the runners' activator finds the request in the log.
      deps.log.warn({ err: error, sessionId: session }, "could not nudge the session's owner");
    }
  };

const setLook = (
  { store }: Pick<ExpiryWatchDeps, "store">,
  look: Look,
  at: number,
): Promise<void> =>
  scheduleTimer(store, {
    key: `${expiryLookTimer}.${look.session}`,
    at: new Date(at),
    kind: expiryLookTimer,
    data: look,
  });
