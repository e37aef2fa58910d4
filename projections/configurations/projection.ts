import type { ConfigurationSettings } from "#contracts/configuration/settings";
import { erasedText } from "#contracts/erasure/markers";
import { type Changes, defineRowProjection, type EventContext } from "../runtime/row-projection.ts";
import { type ConfigurationRow, configurationsTable } from "./table.ts";

const setupNeeded: ConfigurationRow["setup"] = { status: "needed", sessionId: null };

const changed = (
  row: ConfigurationRow,
  { meta }: EventContext,
  change: Partial<ConfigurationRow>,
): ConfigurationRow => ({ ...row, ...change, updated_at: meta.at });

const settingsOf = ({
  repositories,
  serviceCommands,
  envFiles,
  previewPorts,
}: ConfigurationSettings) => ({
  repositories,
  service_commands: serviceCommands,
  env_files: envFiles,
  preview_ports: previewPorts,
});

const change: Changes<ConfigurationRow> = {
  ConfigurationRenamed: (row, { name }, context) => changed(row, context, { name }),
  ConfigurationUpdated: (row, { workspaceRevision, ...settings }, context) =>
    changed(row, context, {
      ...settingsOf(settings),
      ...(workspaceRevision !== row.workspace_revision && {
        workspace_revision: workspaceRevision,
        setup: setupNeeded,
        snapshot: null,
      }),
    }),
  ConfigurationSetupStarted: (row, { sessionId }, context) =>
    changed(row, context, { setup: { status: "running", sessionId } }),
  ConfigurationServicesSaved: (row, { serviceCommands }, context) =>
    changed(row, context, { service_commands: serviceCommands }),
  ConfigurationSnapshotSaved: (row, { sessionId, snapshot }, context) =>
    changed(row, context, { setup: { status: "done", sessionId }, snapshot }),
  ConfigurationSetupEnded: (row, _data, context) =>
    changed(row, context, {
      setup: row.snapshot === null ? setupNeeded : { status: "done", sessionId: null },
    }),
  ConfigurationSnapshotDiscarded: (row, { snapshot }, context) =>
    // That of an archived configuration is shown for as long as it is there.
    changed(row, context, {
      snapshot: row.snapshot?.snapshotId === snapshot.snapshotId ? null : row.snapshot,
    }),
  ConfigurationArchived: (row, _data, context) => changed(row, context, { archived: true }),
  TextErased: (row, _data, context) =>
    changed(row, context, {
      name: erasedText,
      service_commands: [],
      env_files: row.env_files && { files: [] },
    }),
};

export const configurationsProjection = defineRowProjection<ConfigurationRow>({
  name: "configurations",
  version: 2,
  schema: new URL("./schema.sql", import.meta.url),
  aggregate: "configuration",
  table: configurationsTable,
  create: {
    ConfigurationCreated: ({ name, createdBy, ...settings }, { organization, id, meta }) => ({
      organization_id: organization,
      id,
      name,
      ...settingsOf(settings),
      workspace_revision: 1,
      setup: setupNeeded,
      snapshot: null,
      created_by: createdBy,
      archived: false,
      created_at: meta.at,
      updated_at: meta.at,
    }),
  },
  change,
});
