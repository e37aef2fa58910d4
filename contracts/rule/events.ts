/** What a rule with a budget has allowed: an aggregate of its own, because it is written at every call. */
import { defineEvent, type EventOf } from "../define-event.ts";
import { idSchema } from "../ids.ts";

export const ruleEvents = [
  defineEvent("RuleCallSpent", 1, { invocationId: idSchema("invocation") }),
] as const;
export type RuleEvent = EventOf<(typeof ruleEvents)[number]>;
