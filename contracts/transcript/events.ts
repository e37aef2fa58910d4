import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedParts, erasedText } from "../erasure/markers.ts";
import { messageSchema } from "./message.ts";

export const transcriptEvents = [
  defineEvent(
    "MessageRecorded",
    1,
    { epoch: z.int().positive(), message: messageSchema },
    { "message.parts": [...erasedParts], "message.failure.message": erasedText },
  ),
] as const;
export type TranscriptEvent = EventOf<(typeof transcriptEvents)[number]>;
