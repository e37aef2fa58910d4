/** The timers of unused sessions, one each: setting it again replaces it. */
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { readLastCommit } from "#event-store/reading/last-commit";
import { scheduleTimer } from "#event-store/timers/timers";
import { loadOrganization } from "../../organization/commands.ts";
import type { ExistingSession } from "../state.ts";
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

/** When something was last done to the session or by it, in milliseconds since 1970. */
export const lastChangeOf = async (
  { store }: LookDeps,
  { organization, session }: Pick<Look, "organization" | "session">,
): Promise<number> => {
  const newest = await readLastCommit(store, { organization, aggregate: "session", id: session });
  if (newest === null) throw new Error("There is no such session.");
  return Date.parse(newest.commit.meta.at);
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
  dueAfter: (allowedMs: number) => number,
): Promise<void> => {
  for (let rules = await readRules(deps, look.organization, session); ;) {
    if (rules.ms !== null) {
      await scheduleTimer(deps.store, {
        key: `${retentionTimer}.${look.session}`,
        at: new Date(dueAfter(rules.ms)),
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

/** So long before anything is deleted because of a rule that was changed. */
export const noticeMs = ({ dayMs: day = dayMs }: LookDeps): number => day;
