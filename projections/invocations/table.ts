import type { ModeSource, RiskLevel } from "#contracts/invocation/events";
import type { FullResult } from "#contracts/invocation/full-result";
import type { InvocationStatus } from "#contracts/invocation/status";
import type { ActionMode } from "#contracts/policy/events";
import type { RuleId, SessionId } from "#contracts/ids";
import type { Failure } from "#contracts/session/events";
import type { AggregateRow } from "../runtime/row-projection.ts";
import type { Table } from "../runtime/table.ts";

export interface InvocationRow extends AggregateRow {
  readonly session_id: SessionId;
  readonly integration: string;
  readonly action: string;
  readonly params: Record<string, unknown>;
  readonly risk: RiskLevel;
  readonly mode: ActionMode;
  readonly mode_source: ModeSource;
  readonly rule_id: RuleId | null;
  readonly drifted: boolean;
  readonly edited_params: Record<string, unknown> | null;
  readonly status: InvocationStatus;
  readonly resolved_by: string | null;
  readonly reason: string | null;
  readonly result: unknown;
  readonly full_result: FullResult | null;
  readonly failure: Failure | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export const invocationsTable: Table<InvocationRow> = {
  name: "invocations",
  key: ["organization_id", "id"],
  columns: {
    organization_id: "text",
    id: "text",
    session_id: "text",
    integration: "text",
    action: "text",
    params: "jsonb",
    risk: "text",
    mode: "text",
    mode_source: "text",
    rule_id: "text",
    drifted: "boolean",
    edited_params: "jsonb",
    status: "text",
    resolved_by: "text",
    reason: "text",
    result: "jsonb",
    full_result: "jsonb",
    failure: "jsonb",
    expires_at: "timestamptz",
    created_at: "timestamptz",
    updated_at: "timestamptz",
  },
  sessionColumn: "session_id",
};
