import { z } from "zod";
import { shownAuthorSchema } from "./author.ts";
import { messageSchema } from "./message.ts";

/** A message as people see it. */
export const shownMessageSchema = messageSchema.extend({
  /** Who asked; nothing for what the agent says, and where nobody took it down. */
  author: shownAuthorSchema.optional(),
});
export type ShownMessage = z.infer<typeof shownMessageSchema>;

/** A message as queries show it; `index` counts from 0 in the order of the transcript. */
export const messageViewSchema = shownMessageSchema.extend({
  index: z.int().nonnegative(),
  at: z.iso.datetime(),
});
export type MessageView = z.infer<typeof messageViewSchema>;
