/** The events of an automation's run. A run's id is derived from its trigger and dedup key. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { erasedText } from "../erasure/markers.ts";
import { idSchema } from "../ids.ts";
import { repositorySchema } from "../repository.ts";
import { runReportSchema } from "./outcome.ts";
import { sessionOfRunSchema } from "./session-of-run.ts";

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
  /** In the commit that begins a run: what its session is made with, as its trigger said then. */
  defineEvent("RunConfigured", 1, sessionOfRunSchema.shape),
  defineEvent("RunSessionOpened", 1, { sessionId: idSchema("session") }),
  /** Its agent has asked for an action that a person has to decide on. */
  defineEvent("RunPaused", 1, { invocationId: idSchema("invocation") }),
  /** That action was decided on, and has come to its end. */
  defineEvent("RunResumed", 1, { invocationId: idSchema("invocation") }),
  defineEvent(
    "RunCompleted",
    1,
    {
      /** The session whose agent said so. */
      sessionId: idSchema("session"),
      /** The same for each attempt of the agent to say so. */
      completionId: z.string(),
      report: runReportSchema,
    },
    {
      "report.summary": erasedText,
      "report.citations": [],
      "report.diffRef": erasedText,
      "report.testReportRef": erasedText,
      "report.sideEffectRefs": [],
    },
  ),
] as const;
export type RunEvent = EventOf<(typeof runEvents)[number]>;
