/** What an MCP server answered to a call, as a result of ours. Pure. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { DomainError } from "#contracts/errors";
import { plainText } from "../plain-text.ts";

const maxMessageLength = 1000;

/**
 * The result as JSON: what the server calls structured, else its only text (parsed, if it is JSON),
 * else its content blocks.
 *
 * @throws DomainError `action_failed` when the tool says that it has failed
 */
export const resultOf = ({ isError, structuredContent, content }: CallToolResult): unknown => {
  if (isError === true) {
    const text = content
      .map((block) => (block.type === "text" ? block.text : `[${block.type}]`))
      .join("\n");
    throw new DomainError(
      "action_failed",
      plainText(text, maxMessageLength) || "The action has failed.",
    );
  }
  if (structuredContent !== undefined) return structuredContent;
  const [only, ...others] = content;
  if (only?.type !== "text" || others.length > 0) return content;
  return parsedOrText(only.text);
};

const parsedOrText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Most tools answer in prose.
    return text;
  }
};
