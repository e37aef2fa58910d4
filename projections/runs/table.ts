import type { InvocationId, SessionId, TriggerId } from "#contracts/ids";
import type { RunOutcome } from "#contracts/run/outcome";
import type { AggregateRow } from "../runtime/row-projection.ts";
import type { Table } from "../runtime/table.ts";

export interface RunRow extends AggregateRow {
  readonly trigger_id: TriggerId;
  readonly dedup_key: string;
  readonly title: string;
  /** Null until the run has opened its session. */
  readonly session_id: SessionId | null;
  /** The invocations that somebody has to decide on before it can go on. */
  readonly waiting_for: readonly InvocationId[];
  readonly outcome: RunOutcome | null;
  readonly summary: string | null;
  readonly completed_at: string | null;
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
    waiting_for: "jsonb",
    outcome: "text",
    summary: "text",
    completed_at: "timestamptz",
    created_at: "timestamptz",
  },
  sessionColumn: "session_id",
};
