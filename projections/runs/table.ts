import type { SessionId, TriggerId } from "#contracts/ids";
import type { AggregateRow } from "../runtime/row-projection.ts";
import type { Table } from "../runtime/table.ts";

export interface RunRow extends AggregateRow {
  readonly trigger_id: TriggerId;
  readonly dedup_key: string;
  readonly title: string;
  /** Null until the run has opened its session. */
  readonly session_id: SessionId | null;
  readonly created_at: string;
}

export const runsTable: Table<RunRow> = {
  name: "runs",
  key: ["organization_id", "id"],
  columns: {
    organization_id: "text",
    id: "text",
    trigger_id: "text",
    dedup_key: "text",
    title: "text",
    session_id: "text",
    created_at: "timestamptz",
  },
  sessionColumn: "session_id",
};
