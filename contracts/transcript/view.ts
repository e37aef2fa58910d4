import { z } from "zod";
import { messageSchema } from "./message.ts";

/** A message as queries show it; `index` counts from 0 in the order of the transcript. */
export const messageViewSchema = messageSchema.extend({
  index: z.int().nonnegative(),
  at: z.iso.datetime(),
});
export type MessageView = z.infer<typeof messageViewSchema>;
