/** Which tools wait for leave: what OpenCode tells of it, and what it lists after a connection. */
import type { AgentEvent, ToolAsk } from "#contracts/agent";
import type { OpencodeFrame } from "./events.ts";
import type { PermissionAsk } from "./schemas.ts";

type AskFrame = Extract<OpencodeFrame, { type: "permission.asked" | "permission.replied" }>;

export interface OpenAsks {
  readonly push: (frame: AskFrame) => readonly AgentEvent[];
  /** Takes what is listed now for the truth. */
  readonly replace: (listed: readonly PermissionAsk[]) => readonly AgentEvent[];
  readonly waiting: () => boolean;
}

export const openAsks = (): OpenAsks => {
  const asks = new Map<string, ToolAsk>();
  const tell = (): readonly AgentEvent[] => [{ type: "tools_asking", asks: [...asks.values()] }];
  return {
    push: (frame) => {
      if (frame.type === "permission.asked") {
        asks.set(frame.properties.id, askOf(frame.properties));
      } else if (!asks.delete(frame.properties.requestID)) {
        return [];
      }
      return tell();
    },
    replace: (listed) => {
      if (asks.size === 0 && listed.length === 0) return [];
      asks.clear();
      for (const ask of listed) asks.set(ask.id, askOf(ask));
      return tell();
    },
    waiting: () => asks.size > 0,
  };
};

const askOf = ({ id, sessionID, permission, patterns, metadata }: PermissionAsk): ToolAsk => ({
  id,
  conversation: sessionID,
  tool: permission,
  patterns,
  metadata,
});
