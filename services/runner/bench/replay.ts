/**
 * Answers prompts as recorded OpenCode servers did: with their events, ids aside, at the recording's own pace,
 * but for the last text of a turn, which is as long as the prompt asks for and comes at the pace of a fast model.
 */
import { setTimeout as delay } from "node:timers/promises";
import { performance } from "node:perf_hooks";
import { readRecording } from "#sandbox/opencode/testing/recordings";
import { idAfter } from "../testing/agent-conversation.ts";
import type { AgentAnswer, StoredConversation } from "../testing/agent-turn.ts";
import { stampOf } from "./stamps.ts";

export const tokensPerSecond = 50;

/** Turns that nobody has to give leave to: words, thoughts, tools, several tools at once. */
const recordings = ["text", "think", "tool", "read", "write", "todo", "parallel"].map(
  readRecording,
);
type Recording = (typeof recordings)[number];

/** How a prompt asks for an answer of so many tokens. */
export const promptFor = (tokens: number): string => `Say ${tokens} words.`;
const tokensAskedBy = (prompt: string): number => Number(/\d+/.exec(prompt)?.[0] ?? 0);

/** As much as is looked at here. */
interface RecordedFrame {
  readonly type: string;
  readonly properties: {
    readonly part?: { readonly id: string; readonly type: string; text?: string };
    readonly partID?: string;
    readonly delta?: string;
  };
  /** When it came, in milliseconds. */
  readonly _t: number;
}

let turns = 0;

export const replayRecording: AgentAnswer = async (conversation, prompt, turn) => {
  try {
    await replay(conversation, prompt, turn);
  } catch (error) {
    // Broken off, as a server is that ends: nothing more comes.
    if (!turn.aborted.aborted) throw error;
  }
};

const replay: AgentAnswer = async (conversation, prompt, { tell, aborted }) => {
  const recording = recordings[turns % recordings.length];
  turns += 1;
  if (!recording) return;
  const { frames, messages } = renamed(recording, conversation, prompt.messageID);
  const said = frames.findLast(({ properties: { delta } }) => delta)?.properties.partID;
  const tokens = tokensAskedBy(prompt.text);
  const [question, ...answers] = messages;
  if (question) conversation.messages.push(question);
  const begun = performance.now() - (frames[0]?._t ?? 0);
  const until = (due: number): Promise<unknown> =>
    delay(Math.max(0, due - performance.now()), undefined, { signal: aborted });
  /** By how much the long text has put off what comes after it. */
  let laterMs = 0;
  let text = "";
  for (const frame of frames) {
    const { partID, part } = frame.properties;
    if (partID === said) {
      for (; laterMs < (tokens * 1_000) / tokensPerSecond; laterMs += 1_000 / tokensPerSecond) {
        const due = begun + frame._t + laterMs;
        await until(due);
        const delta = stampOf(due);
        text += delta;
        tell({ type: frame.type, properties: { ...frame.properties, delta } });
      }
      continue;
    }
    await until(begun + frame._t + laterMs);
    if (part?.id === said && part?.text) part.text = text;
    tell(frame);
  }
  for (const { parts } of answers) {
    for (const part of parts) if (part["id"] === said) part["text"] = text;
  }
  conversation.messages.push(...answers);
};

/** A turn from its question on, with ids that come after those that the conversation has already. */
const renamed = (
  { events, messages, sessionId }: Recording,
  { id }: StoredConversation,
  questionId: string,
): {
  readonly frames: readonly RecordedFrame[];
  readonly messages: StoredConversation["messages"];
} => {
  const names = new Map([[sessionId, id]]);
  for (const [place, { info }] of messages.entries()) {
    names.set(info.id, place === 0 ? questionId : idAfter(questionId, place));
  }
  const rename = <Value>(json: string): Value =>
    JSON.parse(
      json.replaceAll(/"((?:ses|msg|prt)_\w+)"/g, (_, name: string) =>
        JSON.stringify(names.get(name) ?? `${name}${questionId.slice(-14)}`),
      ),
    ) as Value;
  const frames = events.map((event) => rename<RecordedFrame>(event));
  return {
    frames: frames.slice(frames.findIndex(({ type }) => type === "message.updated")),
    messages: rename(JSON.stringify(messages)),
  };
};
