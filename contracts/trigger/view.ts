import { z } from "zod";
import { idSchema } from "../ids.ts";
import { repositorySchema } from "../repository.ts";
import { sessionOfRunSchema } from "../run/session-of-run.ts";
import { triggerFilterSchema } from "./events.ts";

export const triggerViewSchema = z.object({
  id: idSchema("trigger"),
  name: z.string(),
  provider: z.enum(["custom"]),
  filter: triggerFilterSchema,
  prompt: z.string(),
  repository: repositorySchema.nullable(),
  ...sessionOfRunSchema.shape,
  createdAt: z.iso.datetime(),
});
export type TriggerView = z.infer<typeof triggerViewSchema>;
