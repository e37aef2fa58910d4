/** The events of an automation's run. A run's id is derived from its trigger and dedup key. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";
import { repositorySchema } from "../repository.ts";

export const runEvents = [
  defineEvent(
    "TriggerMatched",
    1,
    {
      triggerId: idSchema("trigger"),
      dedupKey: z.string(),
      title: z.string(),
      prompt: z.string(),
      repository: repositorySchema.nullable(),
    },
    { title: erasedText, prompt: erasedText },
  ),
  defineEvent("RunSessionOpened", 1, { sessionId: idSchema("session") }),
] as const;
export type RunEvent = EventOf<(typeof runEvents)[number]>;
