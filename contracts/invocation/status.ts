import { z } from "zod";

export const invocationStatusSchema = z.enum([
  "pending",
  "approved",
  "executing",
  "completed",
  "denied",
  "failed",
  "expired",
  "outcome_unknown",
]);
export type InvocationStatus = z.infer<typeof invocationStatusSchema>;

/** The statuses that an invocation never leaves. */
export const finalInvocationStatuses: readonly InvocationStatus[] = [
  "completed",
  "denied",
  "failed",
  "expired",
  "outcome_unknown",
];

/** The events that lead there. */
export const finalInvocationEvents = [
  "ActionCompleted",
  "ActionDenied",
  "ActionFailed",
  "ActionExpired",
  "OutcomeLost",
] as const;
