import { z } from "zod";
import { idSchema } from "../ids.ts";
import { runOutcomeSchema } from "./outcome.ts";

/** `needs_human`: its agent waits for somebody's decision, and goes on by itself after it. */
export const runStatusSchema = z.enum(["starting", "running", "needs_human", "completed"]);
export type RunStatus = z.infer<typeof runStatusSchema>;

export const runViewSchema = z.object({
  id: idSchema("run"),
  triggerId: idSchema("trigger"),
  dedupKey: z.string(),
  title: z.string(),
  sessionId: idSchema("session").nullable(),
  status: runStatusSchema,
  /** What its agent has reported; null until then. */
  outcome: runOutcomeSchema.nullable(),
  /** Markdown; null without a report or a word in it. */
  summary: z.string().nullable(),
  completedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
});
export type RunView = z.infer<typeof runViewSchema>;
