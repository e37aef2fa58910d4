/** The events of an organisation's policy. Who changed it is the actor of the commit. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";
import { actionModeSchema, riskLevelSchema } from "./mode.ts";
import { policyRuleSchema } from "./rules.ts";

export { type ActionMode, actionModeSchema } from "./mode.ts";

const action = { integration: z.string(), action: z.string() };
/** Who decided so, and when; null for what was decided before that was kept. */
const author = { by: z.string().nullable(), at: z.iso.datetime().nullable() };

export const policyEvents = [
  defineEvent("ActionModeSet", 2, { ...action, mode: actionModeSchema, ...author }),
  /** The organisation's mode was taken back: what then happens follows from the risk. */
  defineEvent("ActionModeCleared", 1, action),
  /** Null takes the automation's own mode back. */
  defineEvent("AutomationModeSet", 2, {
    triggerId: idSchema("trigger"),
    ...action,
    mode: actionModeSchema.nullable(),
    ...author,
  }),
  /** The definition that somebody had in mind when they let the action run unasked. */
  defineEvent("ActionReviewed", 1, { ...action, definitionHash: z.string() }),
  /** Whatever let the action run unasked was taken back, and with it the definition that somebody had in mind. */
  defineEvent("ActionReviewWithdrawn", 1, action),
  /** Without an action, of the whole integration; null takes the override back. */
  defineEvent("RiskOverridden", 2, {
    integration: z.string(),
    action: z.string().nullable(),
    risk: riskLevelSchema.nullable(),
    ...author,
  }),
  defineEvent(
    "PolicyRuleSet",
    1,
    { ruleId: idSchema("rule"), rule: policyRuleSchema, by: z.string(), at: z.iso.datetime() },
    { "rule.note": erasedText },
  ),
  defineEvent("PolicyRuleRemoved", 1, { ruleId: idSchema("rule") }),
  /** Whether results that are too long for the log are kept whole beside it, for a while. */
  defineEvent("FullResultKeepingSet", 1, { keep: z.boolean() }),
] as const;
export type PolicyEvent = EventOf<(typeof policyEvents)[number]>;
