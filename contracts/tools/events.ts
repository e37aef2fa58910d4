/** The tool calls of one session: what was asked, and what was answered, once for each call id. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { toolAnswerSchema } from "./answer.ts";

export const toolCallEvents = [
  defineEvent(
    "ToolCallReceived",
    1,
    {
      /** The agent's own id of the call, the same for each of its attempts. */
      callId: z.string(),
      tool: z.string(),
      toolSchemaVersion: z.int().positive(),
      args: z.record(z.string(), z.unknown()),
      /** Of the tool and the arguments. */
      fingerprint: z.string(),
      at: z.iso.datetime(),
    },
    { args: {}, fingerprint: erasedText },
  ),
  defineEvent(
    "ToolCallCompleted",
    1,
    { callId: z.string(), answer: toolAnswerSchema },
    { "answer.result": erasedText, "answer.data": {} },
  ),
] as const;
export type ToolCallEvent = EventOf<(typeof toolCallEvents)[number]>;
