import { erasedText } from "#contracts/erasure/markers";
import { defineRowProjection } from "../runtime/row-projection.ts";
import { type RunRow, runsTable } from "./table.ts";

export const runsProjection = defineRowProjection<RunRow>({
  name: "runs",
  version: 2,
  schema: new URL("./schema.sql", import.meta.url),
  aggregate: "run",
  table: runsTable,
  create: {
    TriggerMatched: ({ triggerId, dedupKey, title }, { organization, id, meta }) => ({
      organization_id: organization,
      id,
      trigger_id: triggerId,
      dedup_key: dedupKey,
      title,
      session_id: null,
      waiting_for: [],
      outcome: null,
      created_at: meta.at,
    }),
  },
  change: {
    RunSessionOpened: (row, { sessionId }) => ({ ...row, session_id: sessionId }),
    RunPaused: (row, { invocationId }) => ({
      ...row,
      waiting_for: [...row.waiting_for, invocationId],
    }),
    RunResumed: (row, { invocationId }) => ({
      ...row,
      waiting_for: row.waiting_for.filter((id) => id !== invocationId),
    }),
    RunCompleted: (row, { sessionId, report }) => ({
      ...row,
      session_id: sessionId,
      waiting_for: [],
      outcome: report.outcome,
    }),
    TextErased: (row) => ({ ...row, title: erasedText }),
  },
});
