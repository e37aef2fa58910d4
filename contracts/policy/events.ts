import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";

/** What happens to an action: it runs, it waits for a person, or it is refused. */
export const actionModeSchema = z.enum(["allow", "require_approval", "deny"]);
export type ActionMode = z.infer<typeof actionModeSchema>;

export const policyEvents = [
  defineEvent("ActionModeSet", 1, {
    integration: z.string(),
    action: z.string(),
    mode: actionModeSchema,
  }),
] as const;
export type PolicyEvent = EventOf<(typeof policyEvents)[number]>;
