import { z } from "zod";

export const runOutcomeSchema = z.enum(["succeeded", "failed", "needs_human"]);
export type RunOutcome = z.infer<typeof runOutcomeSchema>;

/** What an automation's agent says about its run when it is done. */
export const runReportSchema = z.object({
  outcome: runOutcomeSchema,
  summary: z.string().nullable(),
  citations: z.array(z.string()),
  diffRef: z.string().nullable(),
  testReportRef: z.string().nullable(),
  sideEffectRefs: z.array(z.string()),
});
export type RunReport = z.infer<typeof runReportSchema>;
