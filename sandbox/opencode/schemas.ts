/** The shapes of OpenCode's HTTP API that are used here; what is not named is ignored. */
import { z } from "zod";

export const opencodeErrorSchema = z.object({
  name: z.string(),
  data: z
    .object({
      message: z.string().optional(),
      statusCode: z.number().optional(),
      isRetryable: z.boolean().optional(),
    })
    .optional(),
});
export type OpencodeError = z.infer<typeof opencodeErrorSchema>;

const fileDiffSchema = z.object({
  file: z.string(),
  additions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
  status: z.enum(["added", "modified", "deleted"]).catch("modified"),
});
export type FileDiff = z.infer<typeof fileDiffSchema>;

const userInfoSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  role: z.literal("user"),
  time: z.object({ created: z.number() }),
  /** What the turn has changed so far; OpenCode looks after each step, and tells it a little later. */
  summary: z
    .object({ diffs: z.array(fileDiffSchema) })
    .optional()
    .catch(undefined),
});

const assistantInfoSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  role: z.literal("assistant"),
  parentID: z.string(),
  time: z.object({ created: z.number(), completed: z.number().optional() }),
  cost: z.number(),
  tokens: z.object({
    input: z.number(),
    output: z.number(),
    reasoning: z.number(),
    cache: z.object({ read: z.number(), write: z.number() }),
  }),
  finish: z.string().optional(),
  error: opencodeErrorSchema.optional(),
});
export type AssistantInfo = z.infer<typeof assistantInfoSchema>;

export const messageInfoSchema = z.discriminatedUnion("role", [
  userInfoSchema,
  assistantInfoSchema,
]);

const partIdentity = { id: z.string(), messageID: z.string(), sessionID: z.string() };
const span = z.object({ start: z.number(), end: z.number().optional() }).optional();

const spokenPartSchema = z.object({
  ...partIdentity,
  type: z.enum(["text", "reasoning"]),
  text: z.string(),
  time: span,
});

const toolInput = z.record(z.string(), z.unknown()).default({});
/** Each tool has its own; a tool that comes with one of another shape says its output all the same. */
const toolMetadata = z.record(z.string(), z.unknown()).optional().catch(undefined);
const toolPartSchema = z.object({
  ...partIdentity,
  type: z.literal("tool"),
  callID: z.string(),
  tool: z.string(),
  state: z.discriminatedUnion("status", [
    z.object({ status: z.literal("pending"), input: toolInput }),
    z.object({
      status: z.literal("running"),
      input: toolInput,
      title: z.string().optional(),
      metadata: toolMetadata,
    }),
    z.object({
      status: z.literal("completed"),
      input: toolInput,
      output: z.string(),
      title: z.string().optional(),
      metadata: toolMetadata,
    }),
    z.object({
      status: z.literal("error"),
      input: toolInput,
      error: z.string(),
      metadata: toolMetadata,
    }),
  ]),
});
export type ToolCallPart = z.infer<typeof toolPartSchema>;

const stepStartSchema = z.object({ ...partIdentity, type: z.literal("step-start") });

/** Step ends, patches, files and what later versions add. */
const otherPartSchema = z
  .object({ ...partIdentity, type: z.string() })
  .refine((part) => !["text", "reasoning", "tool", "step-start"].includes(part.type))
  .transform((part) => ({ ...part, type: "other" as const }));

export const partSchema = z.union([
  spokenPartSchema,
  toolPartSchema,
  stepStartSchema,
  otherPartSchema,
]);
export type OpencodePart = z.infer<typeof partSchema>;

export const storedMessageSchema = z.object({
  info: messageInfoSchema,
  parts: z.array(partSchema),
});
export type StoredMessage = z.infer<typeof storedMessageSchema>;

export const sessionStatusSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle") }),
  z.object({ type: z.literal("busy") }),
  z.object({
    type: z.literal("retry"),
    attempt: z.number(),
    message: z.string(),
    /** When the next attempt starts, in milliseconds since 1970. */
    next: z.number(),
  }),
]);
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

/** A tool that waits for leave, as the event tells it and `GET /permission` lists it. */
export const permissionAskSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  permission: z.string(),
  patterns: z.array(z.string()).default([]),
  metadata: z.record(z.string(), z.unknown()).default({}),
});
export type PermissionAsk = z.infer<typeof permissionAskSchema>;

export const sessionInfoSchema = z.object({
  id: z.string(),
  directory: z.string(),
  time: z.object({ created: z.number() }),
});
export type SessionInfo = z.infer<typeof sessionInfoSchema>;
