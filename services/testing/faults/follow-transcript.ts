/** A person who watches a session from the beginning, and keeps what the live channel has told. */
import { vi } from "vitest";
import WebSocket from "ws";
import { getSession, openLiveChannel } from "#contracts/http/sessions";
import type { PromptId, SessionId } from "#contracts/ids";
import type { ServerFrame } from "#contracts/live/messages";
import { foldStreaming, type Streaming } from "#contracts/live/streaming";
import type { Message } from "#contracts/transcript/message";
import type { Client } from "../../client/client.ts";
import { watchSession } from "../../client/watch-session.ts";

export interface TranscriptFollower {
  /** Whole messages, in the order in which they came to be. */
  messages(): readonly Message[];
  /** What has arrived of messages that are not whole yet. */
  streaming(): Streaming;
  /** Tokens that came, over all connections. */
  tokens(): number;
  /** The prompts of whose ends was told, in that order and as often as it was. */
  ended(): readonly PromptId[];
  close(): void;
}

/**
 * Follows as a browser does: through the client's own watching, which connects again by itself. Resolves
 * once the session can be seen: on a slow machine its read model may take longer than a watcher waits for it.
 */
export const followTranscript = async (
  client: Client,
  sessionId: SessionId,
): Promise<TranscriptFollower> => {
  await vi.waitFor(() => client.call(getSession, { params: { sessionId }, query: {} }), {
    timeout: 30_000,
    interval: 500,
  });
  let messages: readonly Message[] = [];
  let streaming: Streaming = [];
  let tokens = 0;
  const ended: PromptId[] = [];
  const take = (frame: ServerFrame): void => {
    if (frame.type === "init") ({ messages, streaming } = frame);
    if (frame.type !== "live") return;
    const { message } = frame;
    streaming = foldStreaming(streaming, message);
    if (message.type === "token") tokens += 1;
    if (message.type === "prompt_finished") ended.push(message.promptId);
    if (message.type === "message") messages = withMessage(messages, message.message);
  };
  const watch = watchSession({
    openSocket: async () => (await client.call(openLiveChannel, { params: { sessionId } })).url,
    WebSocket,
    onFrame: take,
    // The servers of a test come back within seconds; a browser would wait longer.
    reconnectDelayMs: () => 100,
  });
  return {
    messages: () => messages,
    streaming: () => streaming,
    tokens: () => tokens,
    ended: () => ended,
    close: () => watch.close(),
  };
};

/** A message that is told again takes the place of the earlier one. */
const withMessage = (messages: readonly Message[], message: Message): readonly Message[] =>
  messages.some(({ id }) => id === message.id)
    ? messages.map((other) => (other.id === message.id ? message : other))
    : [...messages, message];
