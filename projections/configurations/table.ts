import type { ConfigurationView } from "#contracts/configuration/view";
import type { AggregateRow } from "../runtime/row-projection.ts";
import type { Table } from "../runtime/table.ts";

export interface ConfigurationRow
  extends
    AggregateRow,
    Pick<ConfigurationView, "name" | "repositories" | "setup" | "snapshot" | "archived"> {
  readonly service_commands: ConfigurationView["serviceCommands"];
  readonly env_files: ConfigurationView["envFiles"];
  readonly preview_ports: ConfigurationView["previewPorts"];
  /** By which a change of the repositories is seen. */
  readonly workspace_revision: number;
  readonly created_by: ConfigurationView["createdBy"];
  readonly created_at: string;
  readonly updated_at: string;
}

export const configurationsTable: Table<ConfigurationRow> = {
  name: "configurations",
  key: ["organization_id", "id"],
  columns: {
    organization_id: "text",
    id: "text",
    name: "text",
    repositories: "jsonb",
    service_commands: "jsonb",
    env_files: "jsonb",
    preview_ports: "jsonb",
    workspace_revision: "integer",
    setup: "jsonb",
    snapshot: "jsonb",
    created_by: "text",
    archived: "boolean",
    created_at: "timestamptz",
    updated_at: "timestamptz",
  },
  sessionColumn: null,
};
