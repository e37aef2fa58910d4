/** A listener that builds the transcript from events alone, the way a live view does. */
import type { AgentEvent } from "#contracts/agent";
import type { Message } from "#contracts/transcript/message";

export interface TranscriptView {
  readonly messages: ReadonlyMap<string, Message>;
  /** What was streamed and not dropped, by part. */
  readonly streamed: ReadonlyMap<string, string>;
  readonly turns: readonly string[];
}

export const transcriptView = (events: readonly AgentEvent[]): TranscriptView => {
  const messages = new Map<string, Message>();
  const streamed = new Map<string, string>();
  const turns: string[] = [];
  for (const event of events) {
    switch (event.type) {
      case "message_completed":
        messages.set(event.message.id, event.message);
        break;
      case "text_delta":
      case "reasoning_delta":
        streamed.set(event.partId, (streamed.get(event.partId) ?? "") + event.delta);
        break;
      case "parts_dropped":
        for (const id of event.partIds) streamed.delete(id);
        break;
      case "turn_started":
      case "turn_idle":
        turns.push(event.type);
        break;
      case "turn_failed":
        turns.push(event.aborted ? "turn_aborted" : `turn_failed:${event.failure.code}`);
        break;
      case "tool_updated":
      case "retrying":
      case "tools_asking":
        break;
    }
  }
  return { messages, streamed, turns };
};
