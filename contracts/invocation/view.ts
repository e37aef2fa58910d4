import { z } from "zod";
import { idSchema } from "../ids.ts";
import { actionModeSchema } from "../policy/mode.ts";
import { failureSchema } from "../session/events.ts";
import { modeSourceSchema, riskLevelSchema } from "./events.ts";
import { fullResultSchema } from "./full-result.ts";
import { invocationStatusSchema } from "./status.ts";

/** An invocation as queries show it. */
export const invocationViewSchema = z.object({
  id: idSchema("invocation"),
  sessionId: idSchema("session"),
  integration: z.string(),
  action: z.string(),
  params: z.record(z.string(), z.unknown()),
  risk: riskLevelSchema,
  mode: actionModeSchema,
  modeSource: modeSourceSchema,
  /** The rule that decided; null if none did. */
  ruleId: idSchema("rule").nullable(),
  drifted: z.boolean(),
  /** What the approver put in the place of `params`; null for nothing. */
  editedParams: z.record(z.string(), z.unknown()).nullable(),
  status: invocationStatusSchema,
  /** Who approved or denied it. */
  resolvedBy: z.string().nullable(),
  reason: z.string().nullable(),
  result: z.unknown(),
  /** What became of the whole result, where `result` is a part of it; null for nothing. */
  fullResult: fullResultSchema.nullable(),
  failure: failureSchema.nullable(),
  expiresAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type InvocationView = z.infer<typeof invocationViewSchema>;
