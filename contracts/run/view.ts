import { z } from "zod";
import { idSchema } from "../ids.ts";
import { runOutcomeSchema } from "./outcome.ts";

export const runViewSchema = z.object({
  id: idSchema("run"),
  triggerId: idSchema("trigger"),
  dedupKey: z.string(),
  title: z.string(),
  sessionId: idSchema("session").nullable(),
  /** What its agent has reported; null until then. */
  outcome: runOutcomeSchema.nullable(),
  /** Markdown; null without a report or a word in it. */
  summary: z.string().nullable(),
  completedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
});
export type RunView = z.infer<typeof runViewSchema>;
