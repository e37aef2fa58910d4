import { z } from "zod";
import { idSchema } from "../ids.ts";

export const runViewSchema = z.object({
  id: idSchema("run"),
  triggerId: idSchema("trigger"),
  dedupKey: z.string(),
  title: z.string(),
  sessionId: idSchema("session").nullable(),
  createdAt: z.iso.datetime(),
});
export type RunView = z.infer<typeof runViewSchema>;
