/** The frames of OpenCode's event stream that matter to the bridge. */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import {
  messageInfoSchema,
  opencodeErrorSchema,
  partSchema,
  permissionAskSchema,
  sessionStatusSchema,
} from "./schemas.ts";

const frameSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("server.connected") }),
  z.object({
    type: z.literal("message.updated"),
    properties: z.object({ info: messageInfoSchema }),
  }),
  z.object({ type: z.literal("message.part.updated"), properties: z.object({ part: partSchema }) }),
  z.object({
    type: z.literal("message.part.delta"),
    properties: z.object({
      sessionID: z.string(),
      messageID: z.string(),
      partID: z.string(),
      field: z.string(),
      delta: z.string(),
    }),
  }),
  z.object({
    type: z.literal("session.status"),
    properties: z.object({ sessionID: z.string(), status: sessionStatusSchema }),
  }),
  z.object({ type: z.literal("session.idle"), properties: z.object({ sessionID: z.string() }) }),
  z.object({ type: z.literal("permission.asked"), properties: permissionAskSchema }),
  z.object({
    type: z.literal("permission.replied"),
    properties: z.object({ sessionID: z.string(), requestID: z.string() }),
  }),
  z.object({
    type: z.literal("session.error"),
    // Without a session it concerns the server as a whole.
    properties: z.object({
      sessionID: z.string().optional(),
      error: opencodeErrorSchema.optional(),
    }),
  }),
]);
export type OpencodeFrame = z.infer<typeof frameSchema>;

const knownTypes = new Set<string>(
  frameSchema.options.flatMap((option) => [...option.shape.type.values]),
);
const envelopeSchema = z.object({ type: z.string() });

/**
 * One event's JSON text as a frame; null for the many types that are not used here.
 * @throws DomainError `agent_reply_invalid` if a type that is used has another shape
 */
export const parseFrame = (data: string): OpencodeFrame | null => {
  try {
    const json: unknown = JSON.parse(data);
    return knownTypes.has(envelopeSchema.parse(json).type) ? frameSchema.parse(json) : null;
  } catch (cause) {
    throw new DomainError("agent_reply_invalid", "The agent sent an event that cannot be read.", {
      cause,
    });
  }
};

/** Which conversation a frame belongs to; null if none in particular. */
export const sessionOfFrame = (frame: OpencodeFrame): string | null => {
  switch (frame.type) {
    case "server.connected":
      return null;
    case "message.updated":
      return frame.properties.info.sessionID;
    case "message.part.updated":
      return frame.properties.part.sessionID;
    default:
      return frame.properties.sessionID ?? null;
  }
};
