/**
 * What a watching client is told. Every message of the owner has a sequence number that only grows
 * within the session; a client that lost its connection names the last one that it saw.
 */
import { z } from "zod";
import { idSchema } from "../ids.ts";
import { invocationStatusSchema } from "../invocation/status.ts";
import { envVariableRequestSchema } from "../session/env-request.ts";
import { failureSchema } from "../session/events.ts";
import { triedServiceSchema } from "../session/service-trial.ts";
import { positionSchema } from "../position.ts";
import { gitAnswerSchemas } from "./git-frames.ts";
import { sandboxWarningSchema } from "../session/sandbox-warning.ts";
import { sessionStatusSchema } from "../session/view.ts";
import { messagePartSchema, toolPartSchema } from "../transcript/message.ts";
import { messageViewSchema, shownMessageSchema } from "../transcript/view.ts";

/** What the owner of a session and the action executor publish. */
export const liveMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("status"),
    status: sessionStatusSchema,
    detail: z.string().nullable(),
  }),
  z.object({
    type: z.literal("boot_stage"),
    stage: z.string(),
    ms: z.number().nonnegative(),
    /** `additional`: it went on while the agent could work already, and fails no session. */
    phase: z.enum(["essential", "additional"]).default("essential"),
    outcome: z.enum(["done", "skipped", "failed"]).default("done"),
    /** Why it failed; null unless it has. */
    detail: z.string().nullable().default(null),
  }),
  /** The sandbox came up, but not as it was wanted. */
  z.object({ type: z.literal("sandbox_warning"), warning: sandboxWarningSchema }),
  z.object({
    type: z.literal("token"),
    kind: z.enum(["text", "reasoning"]),
    messageId: z.string(),
    partId: z.string(),
    delta: z.string(),
  }),
  z.object({ type: z.literal("tool"), messageId: z.string(), part: toolPartSchema }),
  z.object({
    type: z.literal("parts_dropped"),
    messageId: z.string(),
    partIds: z.array(z.string()),
  }),
  /** A whole message; it replaces whatever was streamed of it. */
  z.object({ type: z.literal("message"), message: shownMessageSchema }),
  z.object({
    type: z.literal("prompt_finished"),
    promptId: idSchema("prompt"),
    outcome: z.enum(["completed", "cancelled", "failed"]),
    failure: failureSchema.nullable(),
  }),
  z.object({ type: z.literal("retrying"), attempt: z.int(), detail: z.string() }),
  z.object({
    type: z.literal("action_approval_request"),
    invocationId: idSchema("invocation"),
    integration: z.string(),
    action: z.string(),
    params: z.record(z.string(), z.unknown()),
    expiresAt: z.iso.datetime().nullable(),
  }),
  /** The agent asks for values; people give them without their passing through the conversation. */
  z.object({
    type: z.literal("env_variables_requested"),
    requestId: z.string(),
    keys: z.array(envVariableRequestSchema),
  }),
  /** What became of a snapshot that somebody has asked for, or the agent. */
  z.object({
    type: z.literal("snapshot_result"),
    /** As the request on the live channel was named; the agent's have names of their own. */
    requestId: z.string(),
    /** Null where there is none. */
    snapshotId: z.string().nullable(),
    failure: failureSchema.nullable(),
  }),
  /** What a service prints that is being tried, and how it is meanwhile. */
  z.object({
    type: z.literal("auto_start_output"),
    /** Of the request for the trial. */
    requestId: z.string(),
    service: triedServiceSchema,
    /** What was printed since the last time. */
    lines: z.array(z.string()),
    /** It prints more than is told. */
    truncated: z.boolean(),
  }),
  /** The trial is over. What runs goes on running. */
  z.object({
    type: z.literal("auto_start_finished"),
    requestId: z.string(),
    services: z.array(triedServiceSchema),
    /** Why nothing could be tried; null unless so. */
    failure: failureSchema.nullable(),
  }),
  z.object({
    type: z.literal("action_updated"),
    invocationId: idSchema("invocation"),
    status: invocationStatusSchema,
  }),
]);
export type LiveMessage = z.infer<typeof liveMessageSchema>;

/** A message that is being streamed: what has arrived of its parts. */
export const streamingMessageSchema = z.object({
  id: z.string(),
  parts: z.array(messagePartSchema),
});
export type StreamingMessage = z.infer<typeof streamingMessageSchema>;

/** Somebody who has the session open, in however many windows. */
const personPresentSchema = z.object({ userId: idSchema("user"), typing: z.boolean() });
export type PersonPresent = z.infer<typeof personPresentSchema>;

/** One frame from the server to a client. */
export const serverFrameSchema = z.discriminatedUnion("type", [
  /** Everything so far; the first frame of a connection that cannot go on where another one broke. */
  z.object({
    type: z.literal("init"),
    /** Frames after this one have a higher `seq`. */
    seq: z.int().nonnegative(),
    messages: z.array(messageViewSchema),
    streaming: z.array(streamingMessageSchema),
    status: sessionStatusSchema,
  }),
  /** The connection goes on: what was missed follows. */
  z.object({ type: z.literal("resumed"), seq: z.int().nonnegative() }),
  z.object({ type: z.literal("live"), seq: z.int().positive(), message: liveMessageSchema }),
  z.object({ type: z.literal("pong") }),
  z.object({ type: z.literal("status"), status: sessionStatusSchema }),
  /** Who has the session open; sent to those who asked for it with `&presence=1`, whenever it changes. */
  z.object({
    type: z.literal("presence"),
    /** How many people there are; `people` names the first hundred. */
    count: z.int().nonnegative(),
    people: z.array(personPresentSchema),
  }),
  /** What was requested is in the log. */
  z.object({
    type: z.literal("accepted"),
    requestId: z.string(),
    position: positionSchema,
    /** Of a prompt. */
    promptId: idSchema("prompt").nullable(),
  }),
  ...gitAnswerSchemas,
  /** What was requested was not done; the connection goes on. */
  z.object({
    type: z.literal("refused"),
    requestId: z.string(),
    code: z.string(),
    detail: z.string(),
  }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string() }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;

/** WebSocket close codes of ours (RFC 6455 leaves 4000-4999 to applications). */
export const closeCodes = {
  unauthenticated: 4401,
  notFound: 4404,
  slowConsumer: 4408,
  protocolUnsupported: 4426,
  tooManyFrames: 4429,
  frameInvalid: 4400,
} as const;
