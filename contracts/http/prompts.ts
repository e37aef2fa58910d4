/** The prompts of a session that are not answered yet. */
import { z } from "zod";
import { idSchema } from "../ids.ts";
import { shownAuthorSchema } from "../transcript/author.ts";
import { acceptedSchema, sessionParams } from "./common.ts";
import { defineRoute } from "./route.ts";

const promptParams = sessionParams.extend({ promptId: idSchema("prompt") });

const openPromptSchema = z.object({
  promptId: idSchema("prompt"),
  text: z.string(),
  /** The user or run that asked. */
  by: z.string(),
  /** The same as people know them; nothing where `by` is nobody whom the log could name. */
  author: shownAuthorSchema.optional(),
  status: z.enum(["queued", "started", "cancelling"]),
});
export type OpenPromptView = z.infer<typeof openPromptSchema>;

export const listPrompts = defineRoute({
  method: "GET",
  path: "/v1/sessions/:sessionId/prompts",
  audience: "user",
  summary: "The prompts that are being answered or wait, in their order",
  params: sessionParams,
  responses: {
    200: z.object({ prompts: z.array(openPromptSchema) }),
  },
});

export const changePrompt = defineRoute({
  method: "PATCH",
  path: "/v1/sessions/:sessionId/prompts/:promptId",
  audience: "user",
  summary: "Word a prompt anew that is not being answered yet",
  params: promptParams,
  body: z.object({ text: z.string().min(1) }),
  responses: { 202: acceptedSchema },
});

export const withdrawPrompt = defineRoute({
  method: "DELETE",
  path: "/v1/sessions/:sessionId/prompts/:promptId",
  audience: "user",
  summary: "Take back a prompt that is not being answered yet",
  params: promptParams,
  responses: { 202: acceptedSchema },
});
