/**
 * Stands in for OpenCode's side of one conversation: it stores messages as OpenCode does, and answers each
 * prompt with a tool call and a text in words. Data and events only; `agent-server.ts` serves them.
 */
import type { StoredMessage } from "#sandbox/opencode/schemas";
import type { AgentTurn, AskedPrompt, StoredConversation } from "./agent-turn.ts";

type Info = StoredMessage["info"];

/** How far an answer may go: resolves when it may take its next step. */
export type Pace = (step: "word" | "tool") => Promise<void>;

export const answerOf = (text: string): string => `I was asked this: ${text}`;

/**
 * After the message that it follows, as OpenCode orders a conversation by its ids.
 * @param place among those that follow it
 */
export const idAfter = (messageId: string, place = 1): string => {
  const time = BigInt(`0x${messageId.slice(4, 16)}`) + BigInt(place);
  return `msg_${time.toString(16).padStart(12, "0")}standinanswer0`;
};

/** @returns whether the answer came to its end; it has none when the conversation was aborted */
export const answer = async (
  { id: sessionID, messages }: StoredConversation,
  prompt: AskedPrompt,
  { tell, pace, aborted }: AgentTurn & { readonly pace: Pace },
): Promise<void> => {
  const { messageID: parentID, partID, text } = prompt;
  const busy = (type: "busy" | "idle") =>
    tell({ type: "session.status", properties: { sessionID, status: { type } } });
  const putInfo = (info: Info, parts: Record<string, unknown>[]): void => {
    const known = messages.find((message) => message.info.id === info.id);
    if (known) known.info = info;
    else messages.push({ info, parts });
    tell({ type: "message.updated", properties: { info } });
  };
  const messageID = idAfter(parentID);
  const parts: Record<string, unknown>[] = [];
  const putPart = (part: Record<string, unknown>): void => {
    const at = parts.findIndex((other) => other["id"] === part["id"]);
    if (at < 0) parts.push(part);
    else parts[at] = part;
    tell({ type: "message.part.updated", properties: { part } });
  };
  const created = Date.now();
  const info: Extract<Info, { role: "assistant" }> = {
    id: messageID,
    sessionID,
    role: "assistant",
    parentID,
    time: { created },
    cost: 0,
    tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
  };
  const asked = { id: partID, messageID: parentID, sessionID, type: "text", text };
  putInfo({ id: parentID, sessionID, role: "user", time: { created } }, [asked]);
  busy("busy");
  putInfo(info, parts);
  const identity = { messageID, sessionID };
  const tool = {
    ...identity,
    id: `prt_${messageID}_0`,
    type: "tool",
    callID: "call",
    tool: "bash",
  };
  const input = { command: "true" };
  putPart({ ...tool, state: { status: "running", input } });
  try {
    await untilAborted(pace("tool"), aborted);
    putPart({ ...tool, state: { status: "completed", input, output: "done" } });
    const said = { ...identity, id: `prt_${messageID}_1`, type: "text" };
    const whole = answerOf(text);
    putPart({ ...said, text: "", time: { start: created } });
    let soFar = "";
    for (const delta of whole.split(/(?<= )/)) {
      await untilAborted(pace("word"), aborted);
      soFar += delta;
      const stored = { ...said, text: soFar, time: { start: created } };
      parts[parts.findIndex(({ id }) => id === said.id)] = stored;
      const properties = { ...identity, partID: said.id, field: "text", delta };
      tell({ type: "message.part.delta", properties });
    }
    putPart({ ...said, text: whole, time: { start: created, end: Date.now() } });
    putInfo({ ...info, finish: "stop", time: { created, completed: Date.now() } }, parts);
  } catch (error) {
    if (!aborted.aborted) throw error;
    const failure = { name: "MessageAbortedError", data: { message: "aborted" } };
    putInfo({ ...info, error: failure, time: { created, completed: Date.now() } }, parts);
    tell({ type: "session.error", properties: { sessionID, error: failure } });
  }
  busy("idle");
  tell({ type: "session.idle", properties: { sessionID } });
};

const untilAborted = (step: Promise<void>, aborted: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => reject(new Error("aborted"));
    aborted.addEventListener("abort", end, { once: true });
    if (aborted.aborted) end();
    step.then(resolve, reject);
  });
