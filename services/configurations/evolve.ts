import { assertNever } from "#contracts/assert-never";
import type { ConfigurationEvent } from "#contracts/configuration/events";
import type { StoredSnapshot } from "#contracts/configuration/settings";
import {
  type ConfigurationState,
  type ExistingConfiguration,
  rememberedDiscards,
  rememberedSetups,
  settingsOf,
} from "./state.ts";

/** The state after an event. */
export const evolveConfiguration = (
  state: ConfigurationState,
  event: ConfigurationEvent,
): ConfigurationState => {
  if (event.type === "ConfigurationCreated") {
    const { name, fingerprint } = event.data;
    return {
      status: "active",
      name,
      settings: settingsOf(event.data),
      fingerprint,
      workspaceRevision: 1,
      setup: setupNeeded,
      setupSessions: [],
      snapshot: null,
      formerSnapshots: [],
      discarded: [],
    };
  }
  return state.status === "none" ? state : evolveExisting(state, event);
};

const setupNeeded: ExistingConfiguration["setup"] = { status: "needed", sessionId: null };

const evolveExisting = (
  state: ExistingConfiguration,
  event: Exclude<ConfigurationEvent, { type: "ConfigurationCreated" }>,
): ExistingConfiguration => {
  switch (event.type) {
    case "ConfigurationRenamed":
      return { ...state, name: event.data.name };
    case "ConfigurationUpdated": {
      const { workspaceRevision } = event.data;
      const updated = { ...state, settings: settingsOf(event.data) };
      return workspaceRevision === state.workspaceRevision
        ? updated
        : { ...withoutSnapshot(updated), workspaceRevision, setup: setupNeeded };
    }
    case "ConfigurationSetupStarted": {
      const { sessionId } = event.data;
      return {
        ...state,
        setup: { status: "running", sessionId },
        setupSessions: [...state.setupSessions, sessionId].slice(-rememberedSetups),
      };
    }
    case "ConfigurationServicesSaved": {
      const { serviceCommands } = event.data;
      return { ...state, settings: { ...state.settings, serviceCommands } };
    }
    case "ConfigurationSnapshotSaved": {
      const { sessionId, snapshot } = event.data;
      const { formerSnapshots } = withoutSnapshot(state);
      return {
        ...state,
        setup: { status: "done", sessionId },
        snapshot,
        formerSnapshots: without(formerSnapshots, snapshot.snapshotId),
      };
    }
    case "ConfigurationSetupEnded":
      return state.snapshot === null
        ? { ...state, setup: setupNeeded }
        : { ...state, setup: { status: "done", sessionId: null } };
    case "ConfigurationSnapshotsLeft":
      return { ...state, formerSnapshots: [...state.formerSnapshots, ...event.data.snapshots] };
    case "ConfigurationSnapshotDiscarded": {
      const { snapshotId } = event.data.snapshot;
      return {
        ...state,
        formerSnapshots: without(state.formerSnapshots, snapshotId),
        discarded: [...state.discarded, snapshotId].slice(-rememberedDiscards),
      };
    }
    case "ConfigurationArchived":
      return { ...withoutSnapshot(state), status: "archived" };
    default:
      return assertNever(event);
  }
};

/** Nothing begins with its snapshot any more. */
const withoutSnapshot = (state: ExistingConfiguration): ExistingConfiguration => {
  if (state.snapshot === null) return state;
  const { snapshotId, provider } = state.snapshot;
  const formerSnapshots = [...state.formerSnapshots, { snapshotId, provider }];
  return { ...state, snapshot: null, formerSnapshots };
};

const without = (
  snapshots: readonly StoredSnapshot[],
  snapshotId: string,
): readonly StoredSnapshot[] => snapshots.filter((snapshot) => snapshot.snapshotId !== snapshotId);
