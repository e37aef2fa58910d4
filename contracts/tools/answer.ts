import { z } from "zod";

/** What the agent is told about a tool call. `result` is for the agent to read. */
export const toolAnswerSchema = z.object({
  success: z.boolean(),
  result: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type ToolAnswer = z.infer<typeof toolAnswerSchema>;
