import { erasedText } from "#contracts/erasure/markers";
import { erasedFailure } from "../erased-failure.ts";
import { type Changes, defineRowProjection, type EventContext } from "../runtime/row-projection.ts";
import { type InvocationRow, invocationsTable } from "./table.ts";

const changed = (
  row: InvocationRow,
  { meta }: EventContext,
  change: Partial<InvocationRow>,
): InvocationRow => ({ ...row, ...change, updated_at: meta.at });

const change: Changes<InvocationRow> = {
  ActionApproved: (row, { by }, context) =>
    changed(row, context, { status: "approved", resolved_by: by }),
  ActionDenied: (row, { by, reason }, context) =>
    changed(row, context, { status: "denied", resolved_by: by, reason }),
  ActionExpired: (row, _data, context) => changed(row, context, { status: "expired" }),
  ExecutionStarted: (row, _data, context) => changed(row, context, { status: "executing" }),
  ActionCompleted: (row, { result }, context) =>
    changed(row, context, { status: "completed", result: result ?? null }),
  ActionFailed: (row, { failure }, context) => changed(row, context, { status: "failed", failure }),
  OutcomeLost: (row, { reason }, context) =>
    changed(row, context, { status: "outcome_unknown", reason }),
  TextErased: (row, _data, context) =>
    changed(row, context, {
      params: {},
      reason: row.reason === null ? null : erasedText,
      result: row.result === null ? null : erasedText,
      failure: erasedFailure(row.failure),
    }),
};

export const invocationsProjection = defineRowProjection<InvocationRow>({
  name: "invocations",
  version: 1,
  schema: new URL("./schema.sql", import.meta.url),
  aggregate: "invocation",
  table: invocationsTable,
  create: {
    ActionInvoked: (data, { organization, id, meta }) => ({
      organization_id: organization,
      id,
      session_id: data.sessionId,
      integration: data.integration,
      action: data.action,
      params: data.params,
      risk: data.risk,
      mode: data.mode,
      mode_source: data.modeSource,
      status: "pending",
      resolved_by: null,
      reason: null,
      result: null,
      failure: null,
      expires_at: data.expiresAt,
      created_at: meta.at,
      updated_at: meta.at,
    }),
  },
  change,
});
