import type { TriggerView } from "#contracts/trigger/view";
import type { AggregateRow } from "../runtime/row-projection.ts";
import type { Table } from "../runtime/table.ts";

export interface TriggerRow
  extends
    AggregateRow,
    Pick<TriggerView, "name" | "provider" | "filter" | "prompt" | "repository" | "connections"> {
  readonly configuration_id: TriggerView["configurationId"];
  readonly created_at: string;
}

export const triggersTable: Table<TriggerRow> = {
  name: "triggers",
  key: ["organization_id", "id"],
  columns: {
    organization_id: "text",
    id: "text",
    name: "text",
    provider: "text",
    filter: "jsonb",
    prompt: "text",
    repository: "jsonb",
    configuration_id: "text",
    connections: "jsonb",
    created_at: "timestamptz",
  },
  sessionColumn: null,
};
