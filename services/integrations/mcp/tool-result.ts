/** What an MCP server answered to a call, as a result or as an error of ours. */
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type CallToolResult, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { DomainError } from "#contracts/errors";

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
      text.slice(0, maxMessageLength) || "The action has failed.",
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

/** Answers with which a server says that it has not even begun. */
const refusals: readonly number[] = [
  ErrorCode.ParseError,
  ErrorCode.InvalidRequest,
  ErrorCode.MethodNotFound,
  ErrorCode.InvalidParams,
];

/**
 * A failed call as the seam wants it: `action_failed` for a certain refusal, and the error as it came
 * where the action may have taken effect (a timeout, a broken connection, an error inside the server).
 */
export const callError = (error: unknown): unknown => {
  const refused =
    (error instanceof McpError && refusals.includes(error.code)) ||
    (error instanceof StreamableHTTPError &&
      error.code !== undefined &&
      error.code >= 400 &&
      error.code < 500);
  if (!refused) return error;
  const message = error.message.slice(0, maxMessageLength);
  return new DomainError("action_failed", `The integration refused the call: ${message}`, {
    cause: error,
  });
};
