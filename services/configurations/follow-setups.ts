/**
 * Brings what setup sessions have found out into their configurations. Whatever a session's commit says,
 * the session's present state is looked at: so it does not matter which commit comes first, or twice.
 */
import { newCommandMeta } from "#event-store/command-meta";
import type { ConfigurationCommand } from "#contracts/configuration/commands";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import type { Log } from "#event-store/log";
import { reactionId, startReactor } from "#event-store/workers/reactor";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { Worker } from "#event-store/workers/worker";
import { fingerprintOf } from "../sessions/fingerprint.ts";
import { loadSession } from "../sessions/session-log.ts";
import type { ExistingSession, SessionState } from "../sessions/aggregate/state.ts";
import { configurationAggregate } from "./decider.ts";
import { snapshotsTakenBy } from "./snapshots/taken-by.ts";

const name = "configuration-setups";

/** The events after which a configuration may have something to learn. */
const telling = [
  "ConfigurationApplied",
  "ServiceCommandsSaved",
  "SnapshotTaken",
  "SessionStopped",
] as const;

export interface FollowSetupsDeps {
  readonly store: EventStore;
  readonly log: Log;
  /** What is baked into sandboxes beside the workspace; null where it cannot be known. */
  readonly versionKey: () => Promise<string | null>;
}

export const startFollowingSetups = (deps: FollowSetupsDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name,
    aggregates: ["session"],
    events: telling,
    log: deps.log,
    react: (recorded) => followSetup(deps, recorded),
  });

const followSetup = async (deps: FollowSetupsDeps, recorded: RecordedCommit): Promise<void> => {
  const organization = recorded.ref.organization as OrganizationId;
  const sessionId = recorded.ref.id as SessionId;
  const load = (): Promise<SessionState> =>
    loadSession(deps.store, { organization, session: sessionId });
  const session = await load();
  if (session.status === "none" || session.kind !== "setup" || !session.configuration) return;
  const { configurationId: id, workspaceRevision } = session.configuration;
  const tell = async (
    command: ConfigurationCommand,
    what: string = command.type,
  ): Promise<void> => {
    const meta = newCommandMeta({
      actor: { kind: "service", id: name, via: "reactor" },
      commandId: reactionId(recorded, name, what),
      causationId: recorded.commit.meta.commandId,
      correlationId: recorded.commit.meta.correlationId,
      trace: recorded.trace,
    });
    await execute(deps.store, configurationAggregate, { organization, id }, command, meta);
  };

  await tell({ type: "StartSetup", sessionId, workspaceRevision });
  const { serviceCommands } = session;
  // The session's first ones are a copy of the configuration's, which may be newer.
  if (fingerprintOf(serviceCommands) !== fingerprintOf(session.configuration.serviceCommands)) {
    await tell({ type: "SaveSetupServices", sessionId, serviceCommands });
  }
  const saveNewest = async (of: ExistingSession): Promise<void> => {
    const snapshot = await newestSnapshot(deps, of);
    if (!snapshot) return;
    const command = { type: "SaveSetupSnapshot", sessionId, snapshot } as const;
    await tell(command, `${command.type} ${snapshot.snapshotId}`);
  };
  await saveNewest(session);
  // Asked for once more: it may have been deleted while another commit of it was followed.
  const ended = await load();
  if (ended.status !== "stopped") return;
  // It may have saved one more before: what does not count by now is left, and removed.
  await saveNewest(ended);
  await tell({ type: "EndSetup", sessionId });
  const snapshots = await snapshotsTakenBy(deps.store, { organization, sessionId, ...ended });
  await tell({ type: "LeaveSnapshots", sessionId, snapshots });
};

/** The last one that its agent has asked for; where a sandbox was put away is nobody's business. */
const newestSnapshot = async (
  { versionKey }: FollowSetupsDeps,
  { snapshots, provider }: ExistingSession,
) => {
  const taken = snapshots.findLast((snapshot) => "snapshotId" in snapshot);
  if (!taken || !("snapshotId" in taken) || provider === null) return null;
  return { snapshotId: taken.snapshotId, provider, versionKey: await versionKey() };
};
