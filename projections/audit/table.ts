import type { Actor } from "#contracts/actor";
import type { AggregateType } from "#contracts/commit";
import type { Table } from "../runtime/table.ts";

export interface AuditRow {
  readonly shard: number;
  readonly sequence: number;
  readonly organization_id: string;
  readonly aggregate: AggregateType;
  readonly aggregate_id: string;
  readonly event_types: readonly string[];
  readonly actor: Actor;
  readonly command_id: string;
  readonly causation_id: string | null;
  readonly correlation_id: string;
  readonly at: string;
  /** The hash of the aggregate's commit before this one. */
  readonly prev: string;
  readonly hash: string;
}

export const auditTable: Table<AuditRow> = {
  name: "audit",
  key: ["organization_id", "sequence"],
  columns: {
    shard: "integer",
    sequence: "bigint",
    organization_id: "text",
    aggregate: "text",
    aggregate_id: "text",
    event_types: "text[]",
    actor: "jsonb",
    command_id: "text",
    causation_id: "text",
    correlation_id: "text",
    at: "timestamptz",
    prev: "text",
    hash: "text",
  },
  sessionColumn: "aggregate_id",
};
