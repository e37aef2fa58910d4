import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedParts, erasedText } from "../erasure/markers.ts";
import { authorSchema } from "./author.ts";
import { messageSchema } from "./message.ts";

export const transcriptEvents = [
  /** The session has a new owner; from here on nothing of an earlier one is recorded. */
  defineEvent("TranscriptClaimed", 1, { epoch: z.int().positive() }),
  defineEvent(
    "MessageRecorded",
    3,
    {
      epoch: z.int().positive(),
      message: messageSchema,
      /** Who asked; null for what the agent says, and where nobody took it down. */
      author: authorSchema.nullable(),
    },
    {
      "message.parts": [...erasedParts],
      "message.failure.message": erasedText,
      "message.filesChanged.files": [],
    },
  ),
] as const;
export type TranscriptEvent = EventOf<(typeof transcriptEvents)[number]>;
