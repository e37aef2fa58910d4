/** Gives a prompt to OpenCode, once. */
import type { PromptId } from "#contracts/ids";
import type { OpencodeClient } from "./client.ts";
import { isComplete } from "./conversation-state.ts";
import type { StoredMessage } from "./schemas.ts";
import { isMessageOfPrompt, promptMessageId, promptPartId } from "./message-id.ts";
import { DomainError } from "#contracts/errors";

export interface SendPrompt {
  readonly client: OpencodeClient;
  readonly agentSessionId: string;
  readonly promptId: PromptId;
  readonly text: string;
}

export interface SentPrompt {
  /** OpenCode's id of the prompt; the answers name it as their parent. */
  readonly messageId: string;
  /** False if OpenCode had it already and is at it, or has answered it. */
  readonly sent: boolean;
}

/**
 * Safe to repeat: a prompt that was sent before (perhaps by an owner that died) is recognised. It is sent
 * again if OpenCode neither answers it nor has answered it to the end, for instance because its server
 * was killed in the middle.
 * @throws DomainError `agent_failed` if OpenCode does not know the session, and what the client throws
 */
export const sendPrompt = async ({
  client,
  agentSessionId,
  promptId,
  text,
}: SendPrompt): Promise<SentPrompt> => {
  const session = await client.getSession(agentSessionId);
  if (session === null)
    throw new DomainError("agent_failed", "The agent does not know this conversation.");
  // Asked first: a turn that ends in between is among the messages, and one that goes on is seen by either.
  const busy = (await client.status(agentSessionId)).type !== "idle";
  const messages = await client.messages(agentSessionId);
  const earlier = messages.findLast(
    ({ info }) => info.role === "user" && isMessageOfPrompt(info.id, promptId),
  );
  if (earlier !== undefined && (busy || isAnswered(messages, earlier.info.id))) {
    return { messageId: earlier.info.id, sent: false };
  }
  // After everything that is there: OpenCode does not answer a prompt that has an answer behind it.
  const newest = messages.at(-1);
  const messageId = promptMessageId(
    promptId,
    newest ? { messageId: newest.info.id } : { createdMs: session.time.created },
  );
  await client.promptAsync({
    sessionId: agentSessionId,
    messageId,
    partId: promptPartId(messageId),
    text,
  });
  return { messageId, sent: true };
};

/**
 * Whether the newest answer to a prompt came to its own end. One that failed while nobody watched, for
 * instance because what it needed went down together with the owner, deserves another try.
 */
const isAnswered = (messages: readonly StoredMessage[], promptMessage: string): boolean => {
  const newest = messages.findLast(({ info }) => info.role === "assistant")?.info;
  return (
    newest?.role === "assistant" &&
    newest.id > promptMessage &&
    isComplete(newest) &&
    newest.error === undefined &&
    // An answer that was cut off while OpenCode waited for an overloaded model has neither error nor reason.
    newest.finish !== undefined &&
    newest.finish !== "tool-calls"
  );
};
