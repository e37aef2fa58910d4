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
      summary: null,
      completed_at: null,
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
    // The agent's report may come before the word that its session is open.
    RunCompleted: (row, { sessionId, report }, { meta }) => ({
      ...row,
      session_id: sessionId,
      waiting_for: [],
      outcome: report.outcome,
      summary: report.summary,
      completed_at: meta.at,
    }),
    TextErased: (row) => ({ ...row, title: erasedText, summary: row.summary && erasedText }),
  },
});
