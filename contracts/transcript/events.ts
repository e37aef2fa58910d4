import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { messageSchema } from "./message.ts";

export const transcriptEvents = [
  defineEvent("MessageRecorded", 1, { epoch: z.int().positive(), message: messageSchema }),
] as const;
export type TranscriptEvent = EventOf<(typeof transcriptEvents)[number]>;
