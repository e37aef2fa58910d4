/** OpenCode's messages in the control plane's shape. */
import type { Failure } from "#contracts/session/events";
import type { Message, MessagePart, ToolPart } from "#contracts/transcript/message";
import { redact } from "../redaction.ts";
import type { AssistantInfo, OpencodeError, OpencodePart, ToolCallPart } from "./schemas.ts";

/** Keeps a message with several large tool calls below the size of a commit. */
const longestText = 30_000;
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
    parts: parts.filter((part) => !dropped.has(part.id)).flatMap(partOf),
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

const partOf = (part: OpencodePart): MessagePart[] => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text === "" ? [] : [{ kind: part.type, id: part.id, text: part.text }];
    case "tool":
      return [toolPartOf(part)];
    default:
      return [];
  }
};

export const toolPartOf = ({ id, callID, tool, state }: ToolCallPart): ToolPart => {
  const output = outputOf(state);
  const error = state.status === "error" ? state.error : null;
  const input = cutDeep(state.input) as ToolPart["input"];
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
    output: cut(output),
    error: cut(error),
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

const tooLong = (text: string | null): boolean => text !== null && text.length > longestText;
const cut = (text: string | null): string | null =>
  text === null ? null : text.slice(0, longestText);

const cutDeep = (value: unknown): unknown => {
  if (typeof value === "string") return value.slice(0, longestText);
  if (Array.isArray(value)) return value.map(cutDeep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutDeep(inner)]));
};
