import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedParts, erasedText } from "../erasure/markers.ts";
import { authorSchema } from "./author.ts";
import { messageSchema } from "./message.ts";

export const transcriptEvents = [
  defineEvent(
    "MessageRecorded",
    2,
    {
      epoch: z.int().positive(),
      message: messageSchema,
      /** Who asked; null for what the agent says, and where nobody took it down. */
      author: authorSchema.nullable(),
    },
    { "message.parts": [...erasedParts], "message.failure.message": erasedText },
  ),
] as const;
export type TranscriptEvent = EventOf<(typeof transcriptEvents)[number]>;
