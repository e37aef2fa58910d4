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

/** An action that an integration names and that is not offered, and why. */
export const leftOutActionSchema = z.object({
  /** Without what cannot be seen, and cut. */
  name: z.string(),
  code: z.enum([
    "tool_malformed",
    "tool_name_invalid",
    "tool_name_duplicate",
    "tool_schema_too_large",
  ]),
});
export type LeftOutAction = z.infer<typeof leftOutActionSchema>;

export const availableIntegrationSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Why its actions cannot be told now, with a code of the error catalogue; null when they are listed. */
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  leftOut: z.array(leftOutActionSchema),
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
