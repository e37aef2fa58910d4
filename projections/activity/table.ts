import type { AggregateRow } from "../runtime/row-projection.ts";
import type { Table } from "../runtime/table.ts";

/** How long a session's agent has worked, and what people have opened from it; `id` is the session's. */
export interface ActivityRow extends AggregateRow {
  /** Of the prompts that were answered to their end. */
  readonly active_ms: number;
  /** The prompt that is being answered; null between two. */
  readonly answering: { readonly promptId: string; readonly since: string } | null;
  /** Their addresses, the oldest first. */
  readonly pull_requests: readonly string[];
}

export const activityTable: Table<ActivityRow> = {
  name: "activity",
  key: ["organization_id", "id"],
  columns: {
    organization_id: "text",
    id: "text",
    active_ms: "bigint",
    answering: "jsonb",
    pull_requests: "text[]",
  },
  sessionColumn: "id",
};
