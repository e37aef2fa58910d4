import { DomainError } from "#contracts/errors";
import { completeRun } from "../../automations/commands.ts";
import type { ToolHandler } from "../handler.ts";

/** Records how the session's run has ended. */
export const automationComplete: ToolHandler<"automation_complete"> = async (
  { store },
  { organization, session, state: { origin }, args, meta },
) => {
  // An id of another run would let an agent close what it has never seen.
  if (origin.kind !== "automation" || origin.runId !== args.run_id) {
    throw new DomainError("tool_args_invalid", "run_id is not the run of this session.", {
      fields: { run_id: args.run_id },
    });
  }
  const completion = {
    sessionId: session,
    completionId: args.completion_id,
    report: {
      outcome: args.outcome,
      summary: args.summary_markdown ?? null,
      citations: args.citations ?? [],
      diffRef: args.diff_ref ?? null,
      testReportRef: args.test_report_ref ?? null,
      sideEffectRefs: args.side_effect_refs ?? [],
    },
  };
  await completeRun(store, { organization, id: origin.runId }, completion, meta);
  return {
    success: true,
    result: `The run is reported as ${args.outcome}. There is nothing left to do.`,
    data: { runId: origin.runId, outcome: args.outcome },
  };
};
