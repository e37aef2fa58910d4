/** OpenCode's messages in the control plane's shape. */
import type { Failure } from "#contracts/session/events";
import type { Message, MessagePart } from "#contracts/transcript/message";
import { redact } from "../redaction.ts";
import { fitParts, type PartLimits } from "./fit-parts.ts";
import type { AssistantInfo, OpencodeError, OpencodePart } from "./schemas.ts";
import { toolPartOf } from "./tool-part.ts";

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
    filesChanged: null,
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
      const text = part.text.slice(0, limits.spoken);
      return text === "" ? [] : [{ kind: part.type, id: part.id, text }];
    }
    case "tool":
      return [toolPartOf(part, limits)];
    default:
      return [];
  }
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
