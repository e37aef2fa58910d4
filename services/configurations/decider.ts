/**
 * What may happen to a configuration. People change it; setup sessions report what they have found out,
 * and only the newest one's word counts, and only for the repositories that it was made from.
 */
import { assertNever } from "#contracts/assert-never";
import type { ConfigurationChanges, ConfigurationCommand } from "#contracts/configuration/commands";
import type { ConfigurationEvent } from "#contracts/configuration/events";
import type { ConfigurationSettings } from "#contracts/configuration/settings";
import { DomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";
import type { Decider } from "#event-store/aggregates/decider";
import { fingerprintOf } from "../sessions/fingerprint.ts";
import { evolveConfiguration } from "./evolve.ts";
import { type ConfigurationState, type ExistingConfiguration, settingsOf } from "./state.ts";

type Command<T extends ConfigurationCommand["type"]> = Extract<ConfigurationCommand, { type: T }>;
type SetupReport = Command<"StartSetup" | "SaveSetupServices" | "SaveSetupSnapshot" | "EndSetup">;

const decide = (
  command: ConfigurationCommand,
  state: ConfigurationState,
): readonly ConfigurationEvent[] => {
  if (command.type === "CreateConfiguration") return create(command, state);
  if (state.status === "none") throw configurationNotFound();
  switch (command.type) {
    case "ArchiveConfiguration":
      return state.status === "archived" ? [] : [{ type: "ConfigurationArchived", data: {} }];
    case "ChangeConfiguration":
      if (state.status === "archived") throw configurationArchived();
      return [...rename(command.changes, state), ...update(command.changes, state)];
    case "StartSetup":
    case "SaveSetupServices":
    case "SaveSetupSnapshot":
    case "EndSetup":
      // Nobody is there to be refused: a session tells what it has done, and it may be too late.
      return state.status === "archived" ? [] : report(command, state);
    case "LeaveSnapshots":
      return leave(command, state);
    case "DiscardSnapshot": {
      const former = state.formerSnapshots.find(
        ({ snapshotId }) => snapshotId === command.snapshotId,
      );
      return former ? [{ type: "ConfigurationSnapshotDiscarded", data: { snapshot: former } }] : [];
    }
    default:
      return assertNever(command);
  }
};

const create = (
  { name, settings, createdBy, fingerprint }: Command<"CreateConfiguration">,
  state: ConfigurationState,
): readonly ConfigurationEvent[] => {
  if (state.status === "none") {
    const data = { name, ...settingsOf(settings), createdBy, fingerprint };
    return [{ type: "ConfigurationCreated", data }];
  }
  if (state.fingerprint === fingerprint) return [];
  throw new DomainError(
    "idempotency_key_reused",
    "The idempotency key was used for another configuration.",
  );
};

const rename = (
  { name }: ConfigurationChanges,
  state: ExistingConfiguration,
): readonly ConfigurationEvent[] =>
  name === undefined || name === state.name
    ? []
    : [{ type: "ConfigurationRenamed", data: { name } }];

const update = (
  changes: ConfigurationChanges,
  { settings: before, workspaceRevision }: ExistingConfiguration,
): readonly ConfigurationEvent[] => {
  const settings: ConfigurationSettings = {
    repositories: changes.repositories ?? before.repositories,
    serviceCommands: changes.serviceCommands ?? before.serviceCommands,
    envFiles: changes.envFiles === undefined ? before.envFiles : changes.envFiles,
    previewPorts: changes.previewPorts ?? before.previewPorts,
  };
  if (fingerprintOf(settings) === fingerprintOf(before)) return [];
  const sameWorkspace = fingerprintOf(settings.repositories) === fingerprintOf(before.repositories);
  return [
    {
      type: "ConfigurationUpdated",
      data: {
        ...settings,
        workspaceRevision: sameWorkspace ? workspaceRevision : workspaceRevision + 1,
      },
    },
  ];
};

const report = (
  command: SetupReport,
  state: ExistingConfiguration,
): readonly ConfigurationEvent[] => {
  const { sessionId } = command;
  if (command.type === "StartSetup") {
    return command.workspaceRevision !== state.workspaceRevision ||
      state.setupSessions.includes(sessionId)
      ? []
      : [{ type: "ConfigurationSetupStarted", data: { sessionId } }];
  }
  if (!counts(sessionId, state)) return [];
  switch (command.type) {
    case "SaveSetupServices": {
      const serviceCommands = [...command.serviceCommands];
      return fingerprintOf(serviceCommands) === fingerprintOf(state.settings.serviceCommands)
        ? []
        : [{ type: "ConfigurationServicesSaved", data: { sessionId, serviceCommands } }];
    }
    case "SaveSetupSnapshot": {
      const { snapshot } = command;
      // One that was given up is being removed, or is gone.
      return state.snapshot?.snapshotId === snapshot.snapshotId ||
        state.discarded.includes(snapshot.snapshotId)
        ? []
        : [{ type: "ConfigurationSnapshotSaved", data: { sessionId, snapshot } }];
    }
    case "EndSetup":
      return [{ type: "ConfigurationSetupEnded", data: { sessionId } }];
    default:
      return assertNever(command);
  }
};

/** Also of a setup session that does not count any more, and once the configuration was archived. */
const leave = (
  { sessionId, snapshots }: Command<"LeaveSnapshots">,
  { snapshot, formerSnapshots, discarded }: ExistingConfiguration,
): readonly ConfigurationEvent[] => {
  const known = new Set([...formerSnapshots.map(({ snapshotId }) => snapshotId), ...discarded]);
  if (snapshot) known.add(snapshot.snapshotId);
  const left = snapshots.filter(({ snapshotId }) => !known.has(snapshotId));
  return left.length === 0
    ? []
    : [{ type: "ConfigurationSnapshotsLeft", data: { sessionId, snapshots: left } }];
};

const counts = (sessionId: SessionId, { setup }: ExistingConfiguration): boolean =>
  setup.sessionId === sessionId;

export const configurationNotFound = (): DomainError =>
  new DomainError("configuration_not_found", "There is no such configuration.");

export const configurationArchived = (): DomainError =>
  new DomainError("configuration_archived", "The configuration was archived.");

export const configurationDecider: Decider<
  ConfigurationCommand,
  ConfigurationEvent,
  ConfigurationState
> = {
  initialState: () => ({ status: "none" }),
  decide,
  evolve: evolveConfiguration,
};

/** For `execute` and `loadAggregate`. */
export const configurationAggregate = {
  aggregate: "configuration",
  decider: configurationDecider,
} as const;
