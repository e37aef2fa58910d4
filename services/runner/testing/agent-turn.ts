/** What a stand-in of an agent's server keeps, and what it takes to answer one prompt. */
import type { StoredMessage } from "#sandbox/opencode/schemas";

export type Frame = { readonly type: string; readonly properties: object };

export interface StoredConversation {
  readonly id: string;
  readonly created: number;
  readonly messages: { info: StoredMessage["info"]; parts: Record<string, unknown>[] }[];
}

export interface AskedPrompt {
  readonly messageID: string;
  readonly partID: string;
  readonly text: string;
}

export interface AgentTurn {
  /** Sends an event to everybody who listens. */
  readonly tell: (frame: Frame) => void;
  readonly aborted: AbortSignal;
}

/** Answers a prompt: tells of it, and stores it in the conversation. */
export type AgentAnswer = (
  conversation: StoredConversation,
  prompt: AskedPrompt,
  turn: AgentTurn,
) => Promise<void>;
