import { z } from "zod";

/**
 * The part of an Anthropic Messages request that the scripted model reads. Everything else is accepted and
 * ignored, so that a newer agent keeps working.
 */
const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const toolResultBlock = z.object({
  type: z.literal("tool_result"),
  content: z.union([z.string(), z.array(z.unknown())]).optional(),
});
const otherBlock = z.object({ type: z.string() });
const block = z.union([textBlock, toolResultBlock, otherBlock]);
const content = z.union([z.string(), z.array(block)]);

export const messagesRequestSchema = z.object({
  model: z.string().min(1),
  stream: z.literal(true, { error: "only streaming requests are supported (stream: true)" }),
  system: content.optional(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content })).min(1),
  tools: z.array(z.unknown()).default([]),
});

export type MessagesRequest = z.infer<typeof messagesRequestSchema>;
type Block = z.infer<typeof block>;

/** Where a request stands in its conversation, derived from the request alone. */
export interface Conversation {
  /** The newest text that a person (or the control plane for them) sent; "" if there is none. */
  prompt: string;
  /** Every text of the conversation that the request holds, by whomever, oldest first. */
  said: string;
  /** How many answers the model has given since that prompt: 0 for the first request of the turn. */
  answersGiven: number;
  /** Texts of the tool results since that prompt, oldest first. */
  toolResults: readonly string[];
  /** The agent's working directory as its system prompt states it; "." if it does not. */
  workingDirectory: string;
  /** False for side requests such as title generation, which offer no tools. */
  offersTools: boolean;
}

/** Reads the newest turn of a request: pure, so a retried or resumed request is answered alike. */
export function readConversation(request: MessagesRequest): Conversation {
  const toolResults: string[] = [];
  let answersGiven = 0;
  let prompt: string | undefined;

  for (const message of request.messages.toReversed()) {
    if (message.role === "assistant") {
      answersGiven += 1;
      continue;
    }
    for (const part of blocksOf(message.content).toReversed()) {
      prompt = isText(part) ? personText(part.text) : undefined;
      if (prompt !== undefined) break;
      if (isToolResult(part)) toolResults.unshift(toolResultText(part));
    }
    if (prompt !== undefined) break;
  }

  return {
    prompt: prompt ?? "",
    said: textsOf(request.messages),
    answersGiven,
    toolResults,
    workingDirectory: workingDirectoryOf(request.system),
    offersTools: request.tools.length > 0,
  };
}

function textsOf(messages: MessagesRequest["messages"]): string {
  return messages
    .flatMap(({ content }) => blocksOf(content).filter(isText))
    .map(({ text }) => text)
    .join("\n");
}

function blocksOf(value: z.infer<typeof content>): readonly Block[] {
  return typeof value === "string" ? [{ type: "text", text: value }] : value;
}

function isText(part: Block): part is z.infer<typeof textBlock> {
  return part.type === "text" && "text" in part;
}

function isToolResult(part: Block): part is z.infer<typeof toolResultBlock> {
  return part.type === "tool_result";
}

/** OpenCode puts notes of its own between a person's texts, in `<system-reminder>` tags: those are no prompt. */
function personText(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed === "" || trimmed.startsWith("<system-reminder>") ? undefined : trimmed;
}

function toolResultText(part: z.infer<typeof toolResultBlock>): string {
  if (part.content === undefined) return "";
  if (typeof part.content === "string") return part.content;
  return part.content
    .flatMap((item) => {
      const parsed = textBlock.safeParse(item);
      return parsed.success ? [parsed.data.text] : [];
    })
    .join("\n");
}

function workingDirectoryOf(system: MessagesRequest["system"]): string {
  const text = blocksOf(system ?? "")
    .filter(isText)
    .map((part) => part.text)
    .join("\n");
  return /^\s*Working directory: (.+)$/mu.exec(text)?.[1]?.trim() ?? ".";
}
