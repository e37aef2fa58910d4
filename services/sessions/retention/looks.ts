/** The timers of unused sessions, one each: setting it again replaces it. */
import { z } from "zod";
import type { AggregateRef } from "#contracts/commit";
import { idSchema } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { readLastCommit } from "#event-store/reading/last-commit";
import { scheduleTimer } from "#event-store/timers/timers";
import { loadOrganization } from "../../organization/commands.ts";
import type { ExistingSession } from "../aggregate/state.ts";
import { autoDeleteDaysOf } from "./auto-delete-days.ts";

/** The kind of the timers. */
export const retentionTimer = "session-retention";

const dayMs = 24 * 3_600_000;

export const lookSchema = z.object({
  organization: idSchema("organization"),
  session: idSchema("session"),
  /** The newest prompt that was answered when the time began. */
  after: idSchema("prompt").nullable(),
});
/** What a timer knows of its session. */
export type Look = z.infer<typeof lookSchema>;

export interface LookDeps {
  readonly store: EventStore;
  /** For sessions of organisations that have said nothing; null: never. */
  readonly deploymentDays: number | null;
  /** The length of a day; for tests. */
  readonly dayMs?: number;
}

/** How many milliseconds a session may go unused as the rules are now; null: for ever. */
export const allowedMs = async (
  deps: LookDeps,
  { organization }: Pick<Look, "organization">,
  session: ExistingSession,
): Promise<number | null> => (await readRules(deps, organization, session)).ms;

/**
 * From when on a session that rests may be deleted, in milliseconds since 1970: so long after something was
 * last done to it or by it, and by a rule of its organisation not within a day of the organisation's last
 * change of it, so that a slip can be taken back.
 */
export const dueAtRest = async (
  { store, dayMs: day = dayMs }: LookDeps,
  { organization, session: id }: Pick<Look, "organization" | "session">,
  session: ExistingSession,
  allowed: number,
): Promise<number> => {
  const due = (await changedAt(store, { organization, aggregate: "session", id })) + allowed;
  if (session.autoDeleteDays !== undefined) return due;
  const settings = { organization, aggregate: "organization", id: organization } as const;
  return Math.max(due, (await changedAt(store, settings)) + day);
};

/** When the aggregate's newest commit was decided; 0 without any. */
const changedAt = async (store: EventStore, ref: AggregateRef): Promise<number> => {
  const newest = await readLastCommit(store, ref);
  return newest === null ? 0 : Date.parse(newest.commit.meta.at);
};

/**
 * Sets the session's timer, or replaces it; a session that stays gets none.
 *
 * Somebody may change the organisation's rule meanwhile, and whoever follows that change sets the same timer:
 * if theirs came first, ours would undo it. So the rule is read once more after the timer was set.
 *
 * @param dueAfter when to look, in milliseconds since 1970, at a session that may go unused for so many
 */
export const setLook = async (
  deps: LookDeps,
  look: Look,
  session: ExistingSession,
  dueAfter: (allowedMs: number) => number | Promise<number>,
): Promise<void> => {
  for (let rules = await readRules(deps, look.organization, session); ;) {
    if (rules.ms !== null) {
      await scheduleTimer(deps.store, {
        key: `${retentionTimer}.${look.session}`,
        at: new Date(await dueAfter(rules.ms)),
        kind: retentionTimer,
        data: look,
      });
    }
    const present = await readRules(deps, look.organization, session);
    if (present.sequence === rules.sequence) return;
    rules = present;
  }
};

/** @returns with the sequence of the organisation's newest change, 0 before the first */
const readRules = async (
  { store, deploymentDays, dayMs: day = dayMs }: LookDeps,
  of: Look["organization"],
  session: ExistingSession,
): Promise<{ readonly ms: number | null; readonly sequence: number }> => {
  const { state: organization, sequence } = await loadOrganization(store, of);
  const days = autoDeleteDaysOf(session, { organization, deploymentDays });
  return { ms: days === null ? null : days * day, sequence };
};
