import { randomUUID } from "node:crypto";
import type { AnswerStep } from "./scenario.ts";

/** One server-sent event of a Messages stream. `paced` ones wait for the token delay before they are sent. */
export interface StreamEvent {
  paced: boolean;
  data: { type: string } & Record<string, unknown>;
}

export type AnswerContent = Pick<AnswerStep, "thinking" | "text" | "toolCalls">;

/** Sizes for the usage figures: `inputTokens` is the caller's estimate for the request. */
export interface AnswerHead {
  model: string;
  inputTokens: number;
}

/** Opens the stream; nothing of the answer is said yet. */
export function* openingEvents({ model, inputTokens }: AnswerHead): Generator<StreamEvent> {
  yield now({
    type: "message_start",
    message: {
      id: `msg_${randomUUID()}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: inputTokens, output_tokens: 1 },
    },
  });
  yield now({ type: "ping" });
}

/** The whole stream of one answer, in the order of the Messages API: thinking, text, tool calls, end. */
export function* answerEvents(head: AnswerHead, answer: AnswerContent): Generator<StreamEvent> {
  let index = 0;
  let outputTokens = 0;
  yield* openingEvents(head);

  for (const block of blocksOf(answer)) {
    yield now({ type: "content_block_start", index, content_block: block.start });
    for (const delta of block.deltas) {
      outputTokens += 1;
      yield { paced: true, data: { type: "content_block_delta", index, delta } };
    }
    yield now({ type: "content_block_stop", index });
    index += 1;
  }

  const stopReason = answer.toolCalls.length > 0 ? "tool_use" : "end_turn";
  yield now({
    type: "message_delta",
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: outputTokens },
  });
  yield now({ type: "message_stop" });
}

/** Splits a text into word tokens with their trailing space; joined again they are exactly the text. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s?|\s+$/gu) ?? [];
}

interface Block {
  start: Record<string, unknown>;
  deltas: readonly Record<string, unknown>[];
}

function blocksOf({ thinking, text, toolCalls }: AnswerContent): readonly Block[] {
  const blocks: Block[] = [];
  if (thinking !== undefined) {
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        ...tokensOf(thinking).map((token) => ({ type: "thinking_delta", thinking: token })),
        // The real API signs its thinking, and the agent sends the signature back; nothing checks this one.
        { type: "signature_delta", signature: "c2NyaXB0ZWQ=" },
      ],
    });
  }
  if (text !== undefined) {
    blocks.push({
      start: { type: "text", text: "" },
      deltas: tokensOf(text).map((token) => ({ type: "text_delta", text: token })),
    });
  }
  for (const { name, input } of toolCalls) {
    blocks.push({
      start: { type: "tool_use", id: `toolu_${randomUUID()}`, name, input: {} },
      deltas: jsonFragments(input).map((fragment) => ({
        type: "input_json_delta",
        partial_json: fragment,
      })),
    });
  }
  return blocks;
}

/** Cuts the JSON text in pieces as the real API does, at places that mean nothing. */
function jsonFragments(input: Record<string, unknown>): readonly string[] {
  return JSON.stringify(input).match(/[\s\S]{1,24}/gu) ?? [];
}

function now(data: StreamEvent["data"]): StreamEvent {
  return { paced: false, data };
}
