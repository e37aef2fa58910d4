import type { ConfigurationId, SessionId } from "#contracts/ids";
import type { Repository } from "#contracts/repository";
import type { ExcludedConnection } from "#contracts/session/connections";
import type { Failure, SessionOrigin } from "#contracts/session/events";
import type { SessionKind } from "#contracts/session/kind";
import type { SessionStatus } from "#contracts/session/view";
import type { AggregateRow } from "../runtime/row-projection.ts";
import type { Table } from "../runtime/table.ts";

export interface SessionRow extends AggregateRow {
  readonly title: string;
  readonly status: SessionStatus;
  readonly origin: SessionOrigin;
  readonly kind: SessionKind;
  readonly configuration_id: ConfigurationId | null;
  readonly parent_id: SessionId | null;
  /** Null for all of the organisation's. */
  readonly connections: readonly string[] | null;
  readonly excluded_connections: readonly ExcludedConnection[];
  readonly repository: Repository | null;
  readonly model: string;
  /** The ids of the prompts that are queued or being answered. */
  readonly open_prompts: readonly string[];
  readonly failure: Failure | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export const sessionsTable: Table<SessionRow> = {
  name: "sessions",
  key: ["organization_id", "id"],
  columns: {
    organization_id: "text",
    id: "text",
    title: "text",
    status: "text",
    origin: "jsonb",
    kind: "text",
    configuration_id: "text",
    parent_id: "text",
    connections: "jsonb",
    excluded_connections: "jsonb",
    repository: "jsonb",
    model: "text",
    open_prompts: "text[]",
    failure: "jsonb",
    created_at: "timestamptz",
    updated_at: "timestamptz",
  },
  sessionColumn: "id",
};
