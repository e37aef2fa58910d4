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
  ActionApproved: (row, { by, editedParams }, context) =>
    changed(row, context, { status: "approved", resolved_by: by, edited_params: editedParams }),
  ActionDenied: (row, { by, reason }, context) =>
    changed(row, context, { status: "denied", resolved_by: by, reason }),
  ActionExpired: (row, _data, context) => changed(row, context, { status: "expired" }),
  ExecutionRetried: (row, _data, context) => changed(row, context, { status: "executing" }),
  ExecutionStarted: (row, _data, context) => changed(row, context, { status: "executing" }),
  ActionCompleted: (row, { result, fullResult }, context) =>
    changed(row, context, {
      status: "completed",
      result: result ?? null,
      full_result: fullResult,
    }),
  ActionFailed: (row, { failure }, context) => changed(row, context, { status: "failed", failure }),
  OutcomeLost: (row, { reason }, context) =>
    changed(row, context, { status: "outcome_unknown", reason }),
  TextErased: (row, _data, context) =>
    changed(row, context, {
      params: {},
      edited_params: row.edited_params === null ? null : {},
      reason: row.reason === null ? null : erasedText,
      result: row.result === null ? null : erasedText,
      full_result: null,
      failure: erasedFailure(row.failure),
    }),
};

export const invocationsProjection = defineRowProjection<InvocationRow>({
  name: "invocations",
  version: 3,
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
      rule_id: data.ruleId,
      drifted: data.drifted,
      edited_params: null,
      status: "pending",
      resolved_by: null,
      reason: null,
      result: null,
      full_result: null,
      failure: null,
      expires_at: data.expiresAt,
      created_at: meta.at,
      updated_at: meta.at,
    }),
  },
  change,
});
