/** The list of what it is about to do that an agent keeps. It stands in the calls of its tool `todowrite`. */
import { z } from "zod";
import type { MessagePart, ToolPart } from "./message.ts";

const todoSchema = z.object({
  content: z.string(),
  /** What a later agent may call otherwise is still to be done. */
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]).catch("pending"),
});
export type Todo = z.infer<typeof todoSchema>;

const listSchema = z.object({ todos: z.array(todoSchema) });

/**
 * The agent's list as it stands: as it was written last; null where none was.
 *
 * @param messages whole ones in the order of the transcript, then what is being streamed
 */
export const todosOf = (
  messages: readonly { readonly parts: readonly MessagePart[] }[],
): readonly Todo[] | null => {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      const todos = part.kind === "tool" ? writtenBy(part) : null;
      if (todos !== null) return todos;
    }
  }
  return null;
};

/** What the tool has taken, which it tells where that differs from what it was given. */
const writtenBy = ({ tool, status, metadata, input }: ToolPart): readonly Todo[] | null => {
  if (tool !== "todowrite" || status !== "completed") return null;
  const told = listSchema.safeParse(metadata);
  return told.data?.todos ?? listSchema.safeParse(input).data?.todos ?? null;
};
