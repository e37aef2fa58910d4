import { z } from "zod";
import { tokenUsageSchema } from "../transcript/message.ts";

/** What a session has come to so far. */
export const sessionTelemetrySchema = z.object({
  /** Of people and of the agent. */
  messages: z.int().nonnegative(),
  toolCalls: z.int().nonnegative(),
  /** How long the agent has answered; a prompt counts once it is answered. */
  activeSeconds: z.int().nonnegative(),
  /** When the agent began with what it is at; null between two prompts. */
  answeringSince: z.iso.datetime().nullable(),
  /** What the agent did last, while its sandbox is up or comes up; else null. */
  latestTask: z.string().nullable(),
  /** That people have opened from here, and that the agent has written of. */
  pullRequests: z.array(z.string()),
  tokens: tokenUsageSchema,
  /** In US dollars, as the agent counts it. */
  cost: z.number().nonnegative(),
});
export type SessionTelemetry = z.infer<typeof sessionTelemetrySchema>;
