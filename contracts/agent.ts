/** What a coding agent tells its owner while it works, whatever agent it is. */
import type { Failure } from "./session/events.ts";
import type { Message, ToolPart } from "./transcript/message.ts";

/** A tool that waits for leave before it runs. What it says of itself comes out of a sandbox. */
export interface ToolAsk {
  /** The agent server's own id of the question. */
  readonly id: string;
  /** The conversation that asks: the session's own, or that of an agent that it has sent out. */
  readonly conversation: string;
  /** Such as `bash`, `edit` or `webfetch`. */
  readonly tool: string;
  /** What it is about: commands, paths, addresses. */
  readonly patterns: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type AgentEvent =
  /** The agent has begun to work on what it was asked. */
  | { readonly type: "turn_started" }
  | {
      readonly type: "text_delta" | "reasoning_delta";
      readonly messageId: string;
      readonly partId: string;
      readonly delta: string;
    }
  | { readonly type: "tool_updated"; readonly messageId: string; readonly part: ToolPart }
  /** Parts that were streamed and are void now, for instance after the model's answer broke off. */
  | {
      readonly type: "parts_dropped";
      readonly messageId: string;
      readonly partIds: readonly string[];
    }
  /** A message is whole. It may come again after a reconnection; its id tells. `promptId` is null. */
  | {
      readonly type: "message_completed";
      readonly message: Message;
      readonly parentId: string | null;
    }
  /** The model is overloaded; the agent tries again by itself. */
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly message: string;
      readonly nextAt: string;
    }
  /** All that waits for leave now; whatever is not in it has been answered, or is not asked any more. */
  | { readonly type: "tools_asking"; readonly asks: readonly ToolAsk[] }
  /** The turn ended with an error; nothing more comes of it. */
  | { readonly type: "turn_failed"; readonly failure: Failure; readonly aborted: boolean }
  /** The agent has nothing left to do, and everything that it said was delivered. */
  | { readonly type: "turn_idle" };
