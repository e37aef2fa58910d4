/**
 * Brings a changed rule of an organisation to the sessions that rest already: their timers were set by the
 * former rule, or not at all.
 *
 * The sessions are those of the log: whichever was created before the change stands there before it, and
 * whichever is created later reads the new rule.
 */
import type { OrganizationId, SessionId } from "#contracts/ids";
import { aggregatesIn } from "#event-store/audit/aggregates-in";
import type { Log } from "#event-store/log";
import { startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import { lastAnswered } from "../idle/at-rest.ts";
import { loadSession, type SessionRef } from "../session-log.ts";
import { rests } from "./auto-delete-days.ts";
import { dueAtRest, type LookDeps, setLook } from "./looks.ts";

const name = "organization-retention";

const changes = ["AutoDeleteDefaultSet", "AutoDeleteDefaultCleared"] as const;

export interface FollowOrganizationDeps extends LookDeps {
  readonly log: Log;
}

/** Whoever dies at it leaves the commit unanswered: the next one sets the same timers again. */
export const startFollowingOrganizations = (deps: FollowOrganizationDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name,
    aggregates: ["organization"],
    events: changes,
    log: deps.log,
    react: async ({ ref }) => {
      const organization = ref.organization as OrganizationId;
      const all = { organization, aggregate: { type: "session", id: "*" } } as const;
      for (const { id } of await aggregatesIn(deps.store, all)) {
        await follow(deps, { organization, session: id as SessionId });
      }
    },
  });

const follow = async (deps: LookDeps, ref: SessionRef): Promise<void> => {
  const state = await loadSession(deps.store, ref);
  // One with a rule of its own is none of the organisation's business; one at work sets a timer afterwards.
  if (!rests(state) || state.autoDeleteDays !== undefined) return;
  const look = { ...ref, after: lastAnswered(state) };
  await setLook(deps, look, state, (allowed) => dueAtRest(deps, look, state, allowed));
};
