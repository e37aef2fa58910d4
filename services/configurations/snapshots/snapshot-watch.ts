/**
 * Gives up snapshots that nothing begins with any more and no session needs. Whenever a configuration has
 * such a one, or a session of it may have come to need it no longer, a timer is set; when it fires, the
 * sessions are looked at, and what none of them needs is given up by a commit. A runner removes it then.
 *
 * The race: a request for a session reads the configuration, another snapshot takes the place of the one
 * that it has read, and the session is committed afterwards with the former one in it. Nothing in the log
 * says that it will come. So a snapshot is looked at only after it has been a former one for the grace,
 * which is much longer than any request takes; by then the session stands in the log. A process that
 * slept for longer than that in the midst of a request makes a session that clones, with a warning.
 */
import { z } from "zod";
import { derivedId, idSchema } from "#contracts/ids";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import type { RecordedCommit } from "#event-store/reading/recorded";
import { scheduleTimer, type TimerHandler } from "#event-store/timers/timers";
import { startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import { findSession } from "../../sessions/session-log.ts";
import { configurationAggregate } from "../decider.ts";
import {
  type ConfigurationOf,
  formerSnapshots,
  isReadModelReady,
  type SnapshotFacts,
  unneededSnapshots,
} from "./unneeded-snapshots.ts";

/** The kind of the timers; {@link lookForUnneeded} is its handler. */
export const unneededSnapshotsTimer = "configuration-snapshots";

/** The events after which a configuration may have a former snapshot, or a session may need one no longer. */
const telling = [
  "ConfigurationSnapshotSaved",
  "ConfigurationUpdated",
  "ConfigurationArchived",
  "ConfigurationSnapshotsLeft",
  "SandboxReady",
  "SandboxPutAway",
  "SnapshotTaken",
  "MigrationStarted",
  "SessionStopped",
] as const;

const lookSchema = z.object({
  organization: idSchema("organization"),
  configuration: idSchema("configuration"),
  /** The ids of those that were former ones when the timer was set: of later ones the grace is not over. */
  snapshots: z.array(z.string()),
});

const hourMs = 3_600_000;
/** When a look that the read model is not ready for is tried again. */
const behindMs = 10_000;

export interface SnapshotWatchDeps extends SnapshotFacts {
  /** In milliseconds; an hour unless told. */
  readonly graceMs?: number;
  readonly log: Log;
}

export const startSnapshotWatch = (deps: SnapshotWatchDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name: unneededSnapshotsTimer,
    aggregates: ["configuration", "session"],
    events: telling,
    log: deps.log,
    react: async (recorded) => {
      const configuration = await configurationOf(deps.store, recorded);
      if (!configuration) return;
      await setLook(deps, configuration, await formerSnapshots(deps, configuration));
    },
  });

/** Null for a session of none. */
const configurationOf = async (
  store: EventStore,
  { ref }: RecordedCommit,
): Promise<ConfigurationOf | null> => {
  const organization = idSchema("organization").parse(ref.organization);
  if (ref.aggregate === "configuration") {
    return { organization, configuration: idSchema("configuration").parse(ref.id) };
  }
  const session = idSchema("session").parse(ref.id);
  const found = await findSession(store, { organization, session });
  if (!found?.configuration) return null;
  return { organization, configuration: found.configuration.configurationId };
};

const setLook = async (
  { store, graceMs = hourMs }: SnapshotWatchDeps,
  { organization, configuration }: ConfigurationOf,
  snapshots: readonly string[],
): Promise<void> => {
  if (snapshots.length === 0) return;
  // One look in each span of time: a timer that every commit set anew would never fire where sessions come often.
  const span = Math.floor(Date.now() / graceMs);
  await scheduleTimer(store, {
    key: `${unneededSnapshotsTimer}.${configuration}.${span}`,
    at: new Date((span + 2) * graceMs),
    kind: unneededSnapshotsTimer,
    data: { organization, configuration, snapshots },
  });
};

/** The handler of fired timers. */
export const lookForUnneeded =
  (deps: SnapshotWatchDeps): TimerHandler =>
  async ({ data, key, firingId, trace }) => {
    const { store, log } = deps;
    const { snapshots, ...of } = lookSchema.parse(data);
    if (!(await isReadModelReady(deps, of))) return { retryInMs: behindMs };
    for (const snapshotId of await unneededSnapshots(deps, of, snapshots)) {
      const actor = { kind: "timer", id: key, via: unneededSnapshotsTimer } as const;
      const commandId = derivedId("command", firingId, snapshotId);
      const meta = newCommandMeta({ actor, commandId, trace });
      const command = { type: "DiscardSnapshot", snapshotId } as const;
      const aggregate = { organization: of.organization, id: of.configuration };
      await execute(store, configurationAggregate, aggregate, command, meta);
      log.info({ ...of, snapshotId }, "a snapshot that nobody needs was given up");
    }
    // Commits that come together set one timer, and who has read the configuration first may be the last to set it.
    const present = await formerSnapshots(deps, of);
    if (present.some((id) => !snapshots.includes(id))) await setLook(deps, of, present);
  };
