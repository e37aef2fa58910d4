import { z } from "zod";
import { actionModeSchema } from "../policy/events.ts";
import { modeSourceSchema, riskLevelSchema } from "../invocation/events.ts";

/** One action of an integration, as an agent or a person sees it. */
export const actionDefinitionSchema = z.object({
  id: z.string(),
  description: z.string(),
  risk: riskLevelSchema,
  /** Whether doing it again with the same parameters changes nothing: it is then tried again after a crash. */
  idempotent: z.boolean().optional(),
  /** JSON Schema of the parameters. */
  params: z.record(z.string(), z.unknown()),
});
export type ActionDefinition = z.infer<typeof actionDefinitionSchema>;

export const availableIntegrationSchema = z.object({
  id: z.string(),
  name: z.string(),
  actions: z.array(
    actionDefinitionSchema.extend({
      mode: actionModeSchema,
      modeSource: modeSourceSchema,
      /** Whether the action has changed since somebody let it run unasked. */
      drifted: z.boolean(),
    }),
  ),
});
export type AvailableIntegration = z.infer<typeof availableIntegrationSchema>;
