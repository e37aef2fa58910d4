/** Has the agent answer one prompt, to its end. */
import { setTimeout as delay } from "node:timers/promises";
import { authorOf } from "#contracts/transcript/author";
import type { Message } from "#contracts/transcript/message";
import { sendPrompt } from "#sandbox/opencode/prompt";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import { loadSession } from "../../sessions/session-log.ts";
import type { OpenPrompt, SessionState, PromptEnd } from "../../sessions/aggregate/state.ts";
import type { Bell } from "../bell.ts";
import type { Conversation, TurnEnd } from "./conversation.ts";
import { timeLeft } from "../sandbox/expiry.ts";
import { finishPrompt } from "./finish-prompt.ts";
import { withAuthor } from "./name-author.ts";
import type { OwnerContext } from "../owner-context.ts";
import { takeSnapshot } from "../sandbox/take-snapshot.ts";

/** How long an aborted turn may take to end before it counts as ended. */
const abortPatienceMs = 10_000;

export interface AnswerPrompt {
  readonly conversation: Conversation;
  readonly prompt: OpenPrompt;
  readonly sandbox: SandboxRef;
  /** Does in the sandbox what the state asks for beside the answer. */
  readonly keepUp: (state: SessionState) => Promise<void>;
  /** Rings when something new about the session may be in the log. */
  readonly bell: Bell;
  /** Aborts when this owner is to stop; the prompt then stays open for the next one. */
  readonly signal: AbortSignal;
}

/**
 * Sends the prompt and follows the answer. Safe to repeat by another owner: a prompt that the agent
 * has already is not sent again, and its messages are known by their ids.
 *
 * Answers how the prompt ended, or that it is still open because this owner stopped.
 *
 * @throws when the agent is lost, and `stale_owner`
 */
export const answerPrompt = async (
  context: OwnerContext,
  answer: AnswerPrompt,
): Promise<PromptEnd | "interrupted"> => {
  const { conversation, prompt } = answer;
  const { promptId } = prompt;
  const finish = async (end: PromptEnd): Promise<PromptEnd> => {
    await finishPrompt(context, promptId, end);
    return end;
  };
  const started = await context.command({ type: "StartPrompt", epoch: context.epoch, promptId });
  const { text, cancelRequested } = asStarted(started, prompt);
  if (cancelRequested) return finish(await stopEarlier(answer));
  const asked = questionOf({ promptId, text });
  await context.record(asked, authorOf(prompt.by));
  context.tell({ type: "message", message: await withAuthor(context, asked, prompt.by) });
  conversation.answering(promptId);

  const turnEnd = conversation.nextTurnEnd();
  // Awaited below in every case but one: when the prompt turns out to be answered already.
  turnEnd.catch(() => undefined);
  const { client, agentSessionId } = conversation;
  const { sent } = await sendPrompt({ client, agentSessionId, promptId, text });
  if (!sent && (await client.status(agentSessionId)).type === "idle") {
    return finish({ outcome: "completed", failure: null });
  }
  const end = await untilEnd(context, answer, turnEnd);
  if (end === "interrupted") {
    return end;
  }
  return finish(asPromptEnd(end));
};

const asPromptEnd = (end: TurnEnd): PromptEnd =>
  end.outcome === "completed"
    ? { outcome: "completed", failure: null }
    : { outcome: end.outcome === "aborted" ? "cancelled" : "failed", failure: end.failure };

/** A prompt that was taken back by the time of its start; the agent may have it from an earlier owner. */
const stopEarlier = async ({ conversation, signal }: AnswerPrompt): Promise<PromptEnd> => {
  const turnEnd = conversation.nextTurnEnd();
  // Not awaited where nothing is under way.
  turnEnd.catch(() => undefined);
  const { client, agentSessionId } = conversation;
  const { type } = await client.status(agentSessionId);
  return type === "idle"
    ? { outcome: "cancelled", failure: null }
    : asPromptEnd(await stopTurn(conversation, turnEnd, signal));
};

const stopTurn = async (
  { client, agentSessionId }: Conversation,
  turnEnd: Promise<TurnEnd>,
  signal: AbortSignal,
): Promise<TurnEnd> => {
  await client.abort(agentSessionId);
  return abortedWithin(turnEnd, AbortSignal.any([signal, AbortSignal.timeout(abortPatienceMs)]));
};

const untilEnd = async (
  context: OwnerContext,
  { conversation, prompt, sandbox, keepUp, bell, signal }: AnswerPrompt,
  turnEnd: Promise<TurnEnd>,
): Promise<TurnEnd | "interrupted"> => {
  let movesInMs: number | null = null;
  for (;;) {
    const waiting = new AbortController();
    const stirred = AbortSignal.any([signal, waiting.signal]);
    const woken = Promise.race([bell.wait(stirred), pastTime(movesInMs, stirred)]);
    const first = await Promise.race([turnEnd, woken.then(() => "woken" as const)]);
    waiting.abort();
    if (first !== "woken") {
      return first;
    }
    if (signal.aborted) {
      return "interrupted";
    }
    conversation.lookAtToolAsks();
    const state = await currentState(context);
    // It may have asked for values, and go on as soon as they are there.
    await keepUp(state);
    // The agent itself asks for snapshots, in the middle of its turn.
    if (state.status !== "none") {
      const { kind, snapshotRequests } = state;
      for (const request of snapshotRequests) {
        await takeSnapshot(context, { sandbox, kind }, request);
      }
    }
    if (isToBeStopped(state, prompt)) return stopTurn(conversation, turnEnd, signal);
    movesInMs =
      state.status === "migrating" ? timeLeft(state.expiresAt) - context.limits.moveMs : null;
    if (movesInMs !== null && movesInMs <= 0) {
      return cutOff(conversation, turnEnd, signal);
    }
  }
};

/** Resolves when so many milliseconds have passed or the wait is over; null: never by time. */
const pastTime = async (ms: number | null, over: AbortSignal): Promise<void> => {
  if (ms === null) return new Promise(() => undefined);
  await delay(ms, undefined, { signal: over }).catch(() => undefined); // It rejects only when over.
};

/**
 * Ends a turn whose sandbox ends soon. Its prompt stays open and is answered in the next one, unless its
 * answer turns out to be whole.
 */
const cutOff = async (
  conversation: Conversation,
  turnEnd: Promise<TurnEnd>,
  signal: AbortSignal,
): Promise<TurnEnd | "interrupted"> => {
  const end = await stopTurn(conversation, turnEnd, signal);
  return end.outcome === "aborted" ? "interrupted" : end;
};

const currentState = ({ deps, organization, session }: OwnerContext): Promise<SessionState> =>
  loadSession(deps.store, { organization, session });

/** A pause and a deletion stop the answer too; prompts that wait behind it stay as they are. */
const isToBeStopped = (state: SessionState, { promptId }: OpenPrompt): boolean =>
  state.status === "none" ||
  state.status === "stopped" ||
  state.pause === "requested" ||
  state.prompts.some((prompt) => prompt.promptId === promptId && prompt.cancelRequested);

/** An answer that was whole before the abort arrived is an answer. */
const abortedWithin = (turnEnd: Promise<TurnEnd>, limit: AbortSignal): Promise<TurnEnd> => {
  const expired = new Promise<TurnEnd>((resolve) => {
    const end = (): void =>
      resolve({
        outcome: "aborted",
        failure: { code: "agent_aborted", message: "The answer was stopped." },
      });
    limit.addEventListener("abort", end, { once: true });
    if (limit.aborted) {
      end();
    }
  });
  return Promise.race([turnEnd, expired]);
};

/** Somebody may have worded it anew since it was read; from its start on nobody may. */
const asStarted = (state: SessionState, prompt: OpenPrompt): OpenPrompt =>
  (state.status === "none"
    ? undefined
    : state.prompts.find(({ promptId }) => promptId === prompt.promptId)) ?? prompt;

/** What was asked, as the transcript keeps it. */
const questionOf = ({ promptId, text }: Pick<OpenPrompt, "promptId" | "text">): Message => ({
  id: promptId,
  role: "user",
  promptId,
  parts: [{ kind: "text", id: `${promptId}-text`, text }],
  finish: null,
  failure: null,
  usage: null,
  cost: null,
  filesChanged: null,
});
