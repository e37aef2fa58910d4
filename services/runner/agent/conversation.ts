/**
 * The conversation with the agent of one sandbox: what the agent does is told live and kept in the
 * transcript, and turns that end are handed to whoever waits for them.
 */
import type { AgentEvent } from "#contracts/agent";
import { DomainError } from "#contracts/errors";
import type { Failure } from "#contracts/session/events";
import type { PromptId } from "#contracts/ids";
import { watchSession } from "#sandbox/opencode/bridge";
import type { OpencodeClient } from "#sandbox/opencode/client";
import { isMessageOfPrompt } from "#sandbox/opencode/message-id";
import { untilGone } from "#sandbox/provider/until-gone";
import type { OwnerContext } from "../owner-context.ts";
import { openToolAsks } from "./tool-asks.ts";

export type TurnEnd =
  | { readonly outcome: "completed" }
  | { readonly outcome: "failed" | "aborted"; readonly failure: Failure };

export interface Conversation {
  readonly client: OpencodeClient;
  readonly agentSessionId: string;
  /** Names a prompt that messages may answer, for the transcript. */
  answering(promptId: PromptId): void;
  /** The end of the turn that is open or begins next. Rejects when the agent is lost. */
  nextTurnEnd(): Promise<TurnEnd>;
  /** Something may have been decided on that a tool waits for. */
  lookAtToolAsks(): void;
  /** Resolves with the reason when the agent is lost or the conversation was closed. */
  readonly ended: Promise<Error>;
  close(): Promise<void>;
}

export interface OpenConversation {
  readonly client: OpencodeClient;
  readonly agentSessionId: string;
  /** The messages that the transcript holds already. */
  readonly recorded: ReadonlySet<string>;
  /** Breaks off the client's calls; fired when the agent is lost or the conversation closed. */
  readonly ending: AbortController;
  /** Whether the agent's server has ended, with its sandbox or alone; must not throw. */
  readonly isGone: () => Promise<boolean>;
  /** Whether the agent's server answers well within so many milliseconds. */
  readonly answers: (withinMs: number) => Promise<boolean>;
  /** Prompts that an earlier owner may have sent, and that are being answered. */
  readonly earlierPrompts: readonly PromptId[];
}

/** Starts to follow the agent; resolves once nothing that it does from now on can be missed. */
export const openConversation = async (
  context: OwnerContext,
  { client, agentSessionId, recorded, ending, isGone, answers, earlierPrompts }: OpenConversation,
): Promise<Conversation> => {
  const waiting = new Set<{ resolve: (end: TurnEnd) => void; reject: (error: Error) => void }>();
  const toolAsks = openToolAsks(context, client);
  const prompts = [...earlierPrompts];
  let endedBecause: Error | undefined;

  const settleTurn = (end: TurnEnd): void => {
    for (const { resolve } of waiting) {
      resolve(end);
    }
    waiting.clear();
  };

  const handle = async (event: AgentEvent): Promise<void> => {
    switch (event.type) {
      case "message_completed": {
        const { parentId } = event;
        const promptId =
          prompts.findLast((prompt) => parentId !== null && isMessageOfPrompt(parentId, prompt)) ??
          null;
        const message = { ...event.message, promptId };
        await context.record(message);
        context.tell({ type: "message", message });
        return;
      }
      case "turn_idle":
        settleTurn({ outcome: "completed" });
        return;
      case "turn_failed":
        settleTurn({ outcome: event.aborted ? "aborted" : "failed", failure: event.failure });
        return;
      case "tools_asking":
        toolAsks.update(event.asks);
        return;
      default:
        tellLive(context, event);
    }
  };

  let connected: () => void = () => undefined;
  const connection = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const following = (async (): Promise<Error> => {
    try {
      for await (const event of watchSession({
        client,
        opencodeSessionId: agentSessionId,
        signal: ending.signal,
        recorded,
        isGone,
        onConnected: connected,
      })) {
        await handle(event);
      }
    } catch (error) {
      endedBecause ??=
        error instanceof Error ? error : new Error("The agent was lost.", { cause: error });
    } finally {
      endedBecause ??= closed();
      ending.abort(endedBecause);
      for (const { reject } of waiting) {
        reject(endedBecause);
      }
      waiting.clear();
      await toolAsks.close();
    }
    return endedBecause;
  })();
  const isAwaited = (): boolean => waiting.size > 0;
  void untilGone({ answers, isGone, isAwaited, signal: ending.signal }).then((gone) => {
    if (gone) {
      endedBecause ??= new DomainError("agent_unreachable", "The sandbox ended without a word.");
      ending.abort(endedBecause);
    }
  });
  await Promise.race([connection, following]);
  if (endedBecause !== undefined) {
    throw endedBecause;
  }
  return {
    client,
    agentSessionId,
    answering: (prompt) => {
      prompts.push(prompt);
    },
    nextTurnEnd: () =>
      new Promise((resolve, reject) => {
        if (endedBecause !== undefined) {
          reject(endedBecause);
          return;
        }
        waiting.add({ resolve, reject });
      }),
    lookAtToolAsks: () => toolAsks.look(),
    ended: following,
    close: async () => {
      ending.abort(closed());
      await following;
    },
  };
};

const closed = (): Error => new Error("The conversation was closed.");

/** What is only for now: tokens, tools at work, retries. */
const tellLive = (
  { tell }: OwnerContext,
  event: Exclude<
    AgentEvent,
    { type: "message_completed" | "turn_idle" | "turn_failed" | "tools_asking" }
  >,
): void => {
  switch (event.type) {
    case "turn_started":
      return;
    case "text_delta":
    case "reasoning_delta": {
      const { messageId, partId, delta } = event;
      const kind = event.type === "text_delta" ? "text" : "reasoning";
      tell({ type: "token", kind, messageId, partId, delta });
      return;
    }
    case "tool_updated":
      tell({ type: "tool", messageId: event.messageId, part: event.part });
      return;
    case "parts_dropped":
      tell({ type: "parts_dropped", messageId: event.messageId, partIds: [...event.partIds] });
      return;
    case "retrying":
      tell({ type: "retrying", attempt: event.attempt, detail: event.message });
  }
};
