/** What was said in a session: messages made of parts. Live messages and the log share these shapes. */
import { z } from "zod";
import { failureSchema } from "../session/events.ts";
import { filesChangedSchema } from "./files-changed.ts";

export const textPartSchema = z.object({
  kind: z.literal("text"),
  id: z.string(),
  text: z.string(),
});
export type TextPart = z.infer<typeof textPartSchema>;
export const reasoningPartSchema = z.object({
  kind: z.literal("reasoning"),
  id: z.string(),
  text: z.string(),
});
export const toolStatusSchema = z.enum(["pending", "running", "completed", "error"]);
export const toolPartSchema = z.object({
  kind: z.literal("tool"),
  id: z.string(),
  callId: z.string(),
  tool: z.string(),
  status: toolStatusSchema,
  title: z.string().nullable(),
  input: z.record(z.string(), z.unknown()),
  output: z.string().nullable(),
  error: z.string().nullable(),
  /**
   * What the tool tells beside its output, such as a command's exit code or an edit's `diff`, by the tool's own
   * names; null where that is nothing, and what an older program says has none.
   */
  metadata: z.record(z.string(), z.unknown()).nullable().default(null),
  /** Whether `input`, `output` or `metadata` was cut to keep the commit small. */
  truncated: z.boolean(),
});
export type ToolPart = z.infer<typeof toolPartSchema>;

export const messagePartSchema = z.discriminatedUnion("kind", [
  textPartSchema,
  reasoningPartSchema,
  toolPartSchema,
]);
export type MessagePart = z.infer<typeof messagePartSchema>;

export const tokenUsageSchema = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  reasoning: z.number().nonnegative(),
  cacheRead: z.number().nonnegative(),
  cacheWrite: z.number().nonnegative(),
});
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

/** A whole message. The agent's own message id is `id` for what it says, the prompt's id for a user's. */
export const messageSchema = z.object({
  id: z.string().min(1).max(128),
  role: z.enum(["user", "assistant"]),
  promptId: z.string().nullable(),
  parts: z.array(messagePartSchema),
  /** Why the model stopped; null for a user's message. */
  finish: z.string().nullable(),
  failure: failureSchema.nullable(),
  usage: tokenUsageSchema.nullable(),
  /** In US dollars, as the agent counts it. */
  cost: z.number().nonnegative().nullable(),
  /** On the last message of a turn: what the turn has changed; null where that is nothing, or nobody has looked. */
  filesChanged: filesChangedSchema.nullable().default(null),
});
export type Message = z.infer<typeof messageSchema>;
