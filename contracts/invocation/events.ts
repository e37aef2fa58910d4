/** The events of an invocation: one wish of an agent to act outside its sandbox, to its end. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";
import { actionModeSchema, riskLevelSchema } from "../policy/mode.ts";
import { failureSchema } from "../session/events.ts";
import { fullResultSchema } from "./full-result.ts";

export { type RiskLevel, riskLevelSchema } from "../policy/mode.ts";

/** Who decided the mode: a rule, a setting of the automation or the organisation, or the action's risk. */
export const modeSourceSchema = z.enum(["rule", "automation", "organization", "inferred"]);
export type ModeSource = z.infer<typeof modeSourceSchema>;

export const invocationEvents = [
  defineEvent(
    "ActionInvoked",
    2,
    {
      sessionId: idSchema("session"),
      integration: z.string(),
      action: z.string(),
      params: z.record(z.string(), z.unknown()),
      risk: riskLevelSchema,
      mode: actionModeSchema,
      modeSource: modeSourceSchema,
      /** The rule that decided; null if none did. */
      ruleId: idSchema("rule").nullable(),
      /** Whether the action has changed since somebody let it run unasked, which made it wait. */
      drifted: z.boolean(),
      /** When a waiting invocation expires; null unless it needs an approval. */
      expiresAt: z.iso.datetime().nullable(),
      fingerprint: z.string(),
    },
    // From a hash of the parameters, a guess at them could be confirmed.
    { params: {}, fingerprint: erasedText },
  ),
  defineEvent(
    "ActionApproved",
    2,
    {
      by: z.string(),
      scope: z.enum(["once", "always", "policy"]),
      /** What the approver put in the place of the parameters that were asked for; null for nothing. */
      editedParams: z.record(z.string(), z.unknown()).nullable(),
    },
    { editedParams: {} },
  ),
  defineEvent("ActionDenied", 1, { by: z.string(), reason: z.string() }, { reason: erasedText }),
  defineEvent("ActionExpired", 1, {}),
  defineEvent("ExecutionStarted", 1, {}),
  /** The executor before died in the middle of an action that may be done twice. */
  defineEvent("ExecutionRetried", 1, { attempt: z.int().positive() }),
  defineEvent(
    "ActionCompleted",
    2,
    {
      result: z.unknown(),
      /** Whether the result was cut to its limit. */
      truncated: z.boolean(),
      /** Null for a result that was not cut, and where the organisation wants none kept. */
      fullResult: fullResultSchema.nullable(),
      durationMs: z.number().nonnegative(),
    },
    { result: erasedText },
  ),
  defineEvent("ActionFailed", 1, { failure: failureSchema }, { "failure.message": erasedText }),
  defineEvent("OutcomeLost", 1, { reason: z.string() }, { reason: erasedText }),
  /** Recorded before the reader gets the full result. */
  defineEvent("FullResultRead", 1, { by: z.string() }),
] as const;
export type InvocationEvent = EventOf<(typeof invocationEvents)[number]>;
