import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";

/**
 * The last word on an aggregate's text: its key is gone, whatever was sealed with it opens as nothing but
 * markers, and read models put the markers in the place of what they hold. It may stand in the history of
 * any aggregate that holds text; deciders do not see it, because it changes nothing that they decide on.
 */
export const textErased = defineEvent("TextErased", 1, {
  /** What was erased: the session's text, or all of the organisation's. */
  scope: z.enum(["session", "organization"]),
});
export type TextErased = EventOf<typeof textErased>;
