import { z } from "zod";
import { actionModeSchema } from "../policy/events.ts";
import { riskLevelSchema } from "../invocation/events.ts";

/** One action of an integration, as an agent or a person sees it. */
export const actionDefinitionSchema = z.object({
  id: z.string(),
  description: z.string(),
  risk: riskLevelSchema,
  /** JSON Schema of the parameters. */
  params: z.record(z.string(), z.unknown()),
});
export type ActionDefinition = z.infer<typeof actionDefinitionSchema>;

export const availableIntegrationSchema = z.object({
  id: z.string(),
  name: z.string(),
  actions: z.array(actionDefinitionSchema.extend({ mode: actionModeSchema })),
});
export type AvailableIntegration = z.infer<typeof availableIntegrationSchema>;
