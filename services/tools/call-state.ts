/** What is remembered of a session's tool calls. Plain JSON. */
import type { ToolAnswer } from "#contracts/tools/answer";

export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  /** Of the tool and the arguments. */
  readonly fingerprint: string;
  /** ISO 8601 instant in UTC. */
  readonly at: string;
  /** Null while somebody carries it out, or after whoever did has died. */
  readonly answer: ToolAnswer | null;
}

export interface ToolCallsState {
  /** The newest last; see `rememberedCalls`. */
  readonly calls: readonly ToolCall[];
}

/** More than all quotas together let through in a quarter of a day; an attempt is repeated for minutes. */
export const rememberedCalls = 300;
