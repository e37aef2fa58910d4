import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedFilter, erasedText } from "../erasure/markers.ts";
import { repositorySchema } from "../repository.ts";
import { sessionOfRunSchema } from "../run/session-of-run.ts";

/** Matches a delivery when every named top-level field of its JSON body has exactly this value. */
export const triggerFilterSchema = z.record(
  z.string().min(1).max(128),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
);
export type TriggerFilter = z.infer<typeof triggerFilterSchema>;

export const triggerEvents = [
  defineEvent(
    "TriggerCreated",
    1,
    {
      name: z.string(),
      provider: z.enum(["custom"]),
      filter: triggerFilterSchema,
      /** What the automation's session is asked; `{{body.field}}` stands for a field of the delivery. */
      prompt: z.string(),
      repository: repositorySchema.nullable(),
      createdBy: z.string(),
    },
    { name: erasedText, filter: erasedFilter, prompt: erasedText },
  ),
  /** In the commit that creates a trigger: what the sessions of its runs are made with. */
  defineEvent("AutomationConfigured", 1, sessionOfRunSchema.shape),
] as const;
export type TriggerEvent = EventOf<(typeof triggerEvents)[number]>;
