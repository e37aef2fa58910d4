/** Sends one prompt to a real OpenCode and follows it to its end. */
import type { AgentEvent } from "#contracts/agent";
import { newId, type PromptId } from "#contracts/ids";
import { watchSession, type WatchLimits } from "../bridge.ts";
import type { OpencodeClient } from "../client.ts";
import { sendPrompt, type SentPrompt } from "../prompt.ts";

export interface Turn {
  readonly promptId: PromptId;
  readonly sent: SentPrompt;
  readonly events: readonly AgentEvent[];
}

export interface RunTurn {
  readonly client: OpencodeClient;
  readonly agentSessionId: string;
  readonly text: string;
  /** Sees each event as it comes. */
  readonly onEvent?: (event: AgentEvent) => Promise<void>;
  readonly limits?: Partial<WatchLimits>;
}

export const runTurn = async ({
  client,
  agentSessionId,
  text,
  onEvent,
  limits = {},
}: RunTurn): Promise<Turn> => {
  const promptId = newId("prompt");
  const recorded = new Set((await client.messages(agentSessionId)).map(({ info }) => info.id));
  const events: AgentEvent[] = [];
  const sending: Promise<SentPrompt>[] = [];
  for await (const event of watchSession({
    client,
    opencodeSessionId: agentSessionId,
    signal: new AbortController().signal,
    recorded,
    limits,
    onConnected: () => {
      if (sending.length === 0)
        sending.push(sendPrompt({ client, agentSessionId, promptId, text }));
    },
  })) {
    events.push(event);
    await onEvent?.(event);
    if (event.type === "turn_idle" || event.type === "turn_failed") break;
  }
  const [sent] = await Promise.all(sending);
  if (sent === undefined) throw new Error("The watch ended before it was connected.");
  return { promptId, events, sent };
};

/** Follows the conversation without a prompt of its own until a turn ends. */
export const untilTurnEnds = async (
  client: OpencodeClient,
  agentSessionId: string,
  recorded: ReadonlySet<string>,
): Promise<readonly AgentEvent[]> => {
  const events: AgentEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of watchSession({
    client,
    opencodeSessionId: agentSessionId,
    signal,
    recorded,
  })) {
    events.push(event);
    if (event.type === "turn_idle" || event.type === "turn_failed") break;
  }
  return events;
};
