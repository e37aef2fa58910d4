import { z } from "zod";
import { idSchema } from "../ids.ts";
import { repositorySchema } from "../repository.ts";
import { triggerFilterSchema } from "./events.ts";

export const triggerViewSchema = z.object({
  id: idSchema("trigger"),
  name: z.string(),
  provider: z.enum(["custom"]),
  filter: triggerFilterSchema,
  prompt: z.string(),
  repository: repositorySchema.nullable(),
  createdAt: z.iso.datetime(),
});
export type TriggerView = z.infer<typeof triggerViewSchema>;
