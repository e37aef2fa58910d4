/** The events of an invocation: one wish of an agent to act outside its sandbox, to its end. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";
import { actionModeSchema } from "../policy/events.ts";
import { failureSchema } from "../session/events.ts";

/** A hint of how far an action reaches; it only decides the mode that nobody has set. */
export const riskLevelSchema = z.enum(["read", "write", "danger"]);
export type RiskLevel = z.infer<typeof riskLevelSchema>;

export const modeSourceSchema = z.enum(["organization", "inferred"]);
export type ModeSource = z.infer<typeof modeSourceSchema>;

export const invocationEvents = [
  defineEvent(
    "ActionInvoked",
    1,
    {
      sessionId: idSchema("session"),
      integration: z.string(),
      action: z.string(),
      params: z.record(z.string(), z.unknown()),
      risk: riskLevelSchema,
      mode: actionModeSchema,
      modeSource: modeSourceSchema,
      /** When a waiting invocation expires; null unless it needs an approval. */
      expiresAt: z.iso.datetime().nullable(),
      fingerprint: z.string(),
    },
    // From a hash of the parameters, a guess at them could be confirmed.
    { params: {}, fingerprint: erasedText },
  ),
  defineEvent("ActionApproved", 1, { by: z.string(), scope: z.enum(["once", "always", "policy"]) }),
  defineEvent("ActionDenied", 1, { by: z.string(), reason: z.string() }, { reason: erasedText }),
  defineEvent("ActionExpired", 1, {}),
  defineEvent("ExecutionStarted", 1, {}),
  defineEvent(
    "ActionCompleted",
    1,
    {
      result: z.unknown(),
      /** Whether the result was cut to its limit. */
      truncated: z.boolean(),
      durationMs: z.number().nonnegative(),
    },
    { result: erasedText },
  ),
  defineEvent("ActionFailed", 1, { failure: failureSchema }, { "failure.message": erasedText }),
  defineEvent("OutcomeLost", 1, { reason: z.string() }, { reason: erasedText }),
] as const;
export type InvocationEvent = EventOf<(typeof invocationEvents)[number]>;
