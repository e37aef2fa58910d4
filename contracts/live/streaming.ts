/** Folds live messages into what is being streamed, the same for servers and browsers. Pure. */
import type { MessagePart } from "../transcript/message.ts";
import type { LiveMessage, StreamingMessage } from "./messages.ts";

export type Streaming = readonly StreamingMessage[];

/** What is being streamed after this message. */
export const foldStreaming = (streaming: Streaming, message: LiveMessage): Streaming => {
  switch (message.type) {
    case "token":
      return changeParts(streaming, message.messageId, (parts) => appendDelta(parts, message));
    case "tool":
      return changeParts(streaming, message.messageId, (parts) => putPart(parts, message.part));
    case "parts_dropped":
      return changeParts(streaming, message.messageId, (parts) =>
        parts.filter((part) => !message.partIds.includes(part.id)),
      );
    case "message":
      return streaming.filter(({ id }) => id !== message.message.id);
    case "prompt_finished":
      return [];
    case "status":
      // Whoever brings the sandbox up tells what is under way from its beginning.
      return message.status === "starting" ? [] : streaming;
    default:
      return streaming;
  }
};

const changeParts = (
  streaming: Streaming,
  id: string,
  change: (parts: readonly MessagePart[]) => MessagePart[],
): Streaming =>
  streaming.some((message) => message.id === id)
    ? streaming.map((message) =>
        message.id === id ? { id, parts: change(message.parts) } : message,
      )
    : [...streaming, { id, parts: change([]) }];

const putPart = (parts: readonly MessagePart[], part: MessagePart): MessagePart[] =>
  parts.some(({ id }) => id === part.id)
    ? parts.map((other) => (other.id === part.id ? part : other))
    : [...parts, part];

const appendDelta = (
  parts: readonly MessagePart[],
  { partId, kind, delta }: Extract<LiveMessage, { type: "token" }>,
): MessagePart[] => {
  const before = parts.find(({ id }) => id === partId);
  const text = before && before.kind !== "tool" ? before.text : "";
  return putPart(parts, { kind, id: partId, text: text + delta });
};
