/**
 * What the agent may hand to its tools. The gateway checks calls against these schemas, and the tool files
 * in the sandbox are generated from them.
 */
import { z } from "zod";
import { runOutcomeSchema } from "../run/outcome.ts";
import { envVariableRequestSchema } from "../session/env-request.ts";
import { serviceCommandSchema } from "../session/service-command.ts";

export const saveSnapshotArgs = z.strictObject({
  message: z.string().max(1000).optional().describe("What the snapshot holds, in one line."),
});

const staysInside = (path: string): boolean =>
  !path.startsWith("/") && !path.split("/").includes("..");
const insidePath = z.string().max(500).refine(staysInside, {
  message: "must be relative and stay inside the workspace",
});

export const saveServiceCommandsArgs = z.strictObject({
  commands: z
    .array(
      z.strictObject({
        ...serviceCommandSchema.shape,
        cwd: insidePath.optional(),
        workspacePath: insidePath.optional(),
      }),
    )
    .min(1)
    .max(10)
    .describe("All commands of the configuration; they replace the ones that were saved before."),
});

const ref = z.string().min(1).max(500);

export const automationCompleteArgs = z.strictObject({
  run_id: z.string().min(1).max(64).describe("The run's id, from your instructions."),
  completion_id: z
    .string()
    .min(1)
    .max(128)
    .describe("The completion id from your instructions; the same for every attempt to report."),
  outcome: runOutcomeSchema,
  summary_markdown: z.string().max(20_000).optional().describe("What happened, in Markdown."),
  citations: z.array(ref).max(100).optional().describe("Links or files that support the summary."),
  diff_ref: ref.optional().describe("Where the change is: a branch, a commit, a pull request."),
  test_report_ref: ref.optional(),
  side_effect_refs: z
    .array(ref)
    .max(100)
    .optional()
    .describe("What was changed outside the sandbox."),
});

export const requestEnvVariablesArgs = z.strictObject({
  keys: z.array(envVariableRequestSchema).min(1).max(50).describe("The variables that you need."),
});
