/** OpenCode's messages in the control plane's shape. */
import type { Failure } from "#contracts/session/events";
import type { Message, MessagePart, ToolPart } from "#contracts/transcript/message";
import { redact } from "../redaction.ts";
import { fitParts, type PartLimits, toolLimits } from "./fit-parts.ts";
import type { AssistantInfo, OpencodeError, OpencodePart, ToolCallPart } from "./schemas.ts";

const longestFailure = 2_000;

/**
 * A message's parts in their order, without those that a retry within the message has made void.
 * @param parts in the order of their ids
 */
export const messageOf = (info: AssistantInfo, parts: readonly OpencodePart[]): Message => {
  const dropped = droppedParts(parts);
  return {
    id: info.id,
    role: "assistant",
    promptId: null,
    parts: fitParts(
      parts.filter(({ id }) => !dropped.has(id)),
      partOf,
    ),
    finish: info.finish ?? null,
    failure: info.error ? failureOf(info.error) : null,
    usage: {
      input: info.tokens.input,
      output: info.tokens.output,
      reasoning: info.tokens.reasoning,
      cacheRead: info.tokens.cache.read,
      cacheWrite: info.tokens.cache.write,
    },
    cost: info.cost,
  };
};

/**
 * When the model's answer breaks off, OpenCode asks again within the same message: what was said before the
 * newest step began is said again. Tool calls stay, because they have happened.
 */
export const droppedParts = (parts: readonly OpencodePart[]): ReadonlySet<string> => {
  const newestStep = parts.findLastIndex((part) => part.type === "step-start");
  const before = parts.slice(0, Math.max(newestStep, 0));
  return new Set(
    before.filter((part) => part.type === "text" || part.type === "reasoning").map(({ id }) => id),
  );
};

const partOf = (part: OpencodePart, limits: PartLimits): MessagePart[] => {
  switch (part.type) {
    case "text":
    case "reasoning": {
      const text = cut(part.text, limits.spoken);
      return text === "" ? [] : [{ kind: part.type, id: part.id, text }];
    }
    case "tool":
      return [toolPartOf(part, limits)];
    default:
      return [];
  }
};

export const toolPartOf = (
  { id, callID, tool, state }: ToolCallPart,
  { tool: longest }: PartLimits = toolLimits,
): ToolPart => {
  const output = outputOf(state);
  const error = state.status === "error" ? state.error : null;
  const input = cutDeep(state.input, longest) as ToolPart["input"];
  const tooLong = (text: string | null): boolean => text !== null && text.length > longest;
  const truncated =
    tooLong(output) ||
    tooLong(error) ||
    JSON.stringify(input).length !== JSON.stringify(state.input).length;
  return {
    kind: "tool",
    id,
    callId: callID,
    tool,
    status: state.status,
    title: ("title" in state ? state.title : undefined) ?? null,
    input,
    output: output === null ? null : cut(output, longest),
    error: error === null ? null : cut(error, longest),
    truncated,
  };
};

/** While a command runs, OpenCode shows what it has printed so far. */
const outputOf = (state: ToolCallPart["state"]): string | null => {
  if (state.status === "completed") return state.output;
  return state.status === "running" ? (state.metadata?.output ?? null) : null;
};

export const isAbort = (error: OpencodeError): boolean => error.name === "MessageAbortedError";

/** Only the message is taken over: the error's other fields carry whole HTTP replies. */
export const failureOf = (error: OpencodeError): Failure => ({
  code: failureCode(error),
  message: redact(error.data?.message ?? error.name).slice(0, longestFailure),
});

const failureCode = (error: OpencodeError): string => {
  if (isAbort(error)) return "agent_aborted";
  if (error.name === "ProviderAuthError") return "model_unauthorized";
  if (error.name !== "APIError") return "agent_failed";
  const status = error.data?.statusCode;
  return status === 401 || status === 403 ? "model_unauthorized" : "model_failed";
};

const cut = (text: string, longest: number): string => text.slice(0, longest);

const cutDeep = (value: unknown, longest: number): unknown => {
  if (typeof value === "string") return cut(value, longest);
  if (Array.isArray(value)) return value.map((inner) => cutDeep(inner, longest));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, cutDeep(inner, longest)]),
  );
};
