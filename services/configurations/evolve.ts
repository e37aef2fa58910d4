import { assertNever } from "#contracts/assert-never";
import type { ConfigurationEvent } from "#contracts/configuration/events";
import {
  type ConfigurationState,
  type ExistingConfiguration,
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
        : { ...updated, workspaceRevision, setup: setupNeeded, snapshot: null };
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
      return { ...state, setup: { status: "done", sessionId }, snapshot };
    }
    case "ConfigurationSetupEnded":
      return state.snapshot === null
        ? { ...state, setup: setupNeeded }
        : { ...state, setup: { status: "done", sessionId: null } };
    case "ConfigurationArchived":
      return { ...state, status: "archived" };
    default:
      return assertNever(event);
  }
};
