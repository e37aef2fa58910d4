import { z } from "zod";
import { toolAnswerSchema } from "../tools/answer.ts";
import { sessionParams } from "./common.ts";
import { defineRoute } from "./route.ts";

export const callTool = defineRoute({
  method: "POST",
  path: "/proliferate/:sessionId/tools/:toolName",
  audience: "sandbox",
  summary: "Carry out a tool call of the session's agent; once for each tool_call_id",
  params: sessionParams.extend({ toolName: z.string().max(100) }),
  body: z.object({
    /** The same for every attempt of one call; it then gets the same answer. */
    tool_call_id: z.string().regex(/^[\w.:-]{1,128}$/),
    args: z.record(z.string(), z.unknown()).default({}),
    /** Of the tool file that calls. */
    tool_schema_version: z.int().positive().default(1),
  }),
  responses: { 200: toolAnswerSchema },
});
