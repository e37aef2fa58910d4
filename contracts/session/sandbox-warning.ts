import { z } from "zod";

/**
 * What people should know about a sandbox although it came up.
 * - `resume_failed`: the former sandbox could not be woken; this one is new, and unsaved work is lost
 * - `snapshot_unavailable`: a snapshot could not be restored; the sandbox began without it
 * - `branch_missing`: the branch does not exist; the default branch was checked out
 * - `agent_restarted`: the agent's server had ended while the sandbox was in use, and was started again
 */
export const sandboxWarningSchema = z.object({
  code: z.enum(["resume_failed", "snapshot_unavailable", "branch_missing", "agent_restarted"]),
  /** One sentence for people, without secrets. */
  message: z.string().max(1000),
});
export type SandboxWarning = z.infer<typeof sandboxWarningSchema>;
