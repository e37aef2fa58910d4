/** Has the agent answer one prompt, to its end. */
import type { PromptOutcome } from "#contracts/session/events";
import type { Failure } from "#contracts/session/events";
import type { Message } from "#contracts/transcript/message";
import { loadAggregate } from "#event-store/load";
import { sendPrompt } from "#sandbox/opencode/prompt";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import { sessionAggregate } from "../sessions/decider.ts";
import type { OpenPrompt, SessionState } from "../sessions/state.ts";
import type { Bell } from "./bell.ts";
import type { Conversation, TurnEnd } from "./conversation.ts";
import type { OwnerContext } from "./owner-context.ts";
import { takeSnapshot } from "./take-snapshot.ts";

/** How long an aborted turn may take to end before it counts as ended. */
const abortPatienceMs = 10_000;

export interface AnswerPrompt {
  readonly conversation: Conversation;
  readonly prompt: OpenPrompt;
  readonly sandbox: SandboxRef;
  /** Rings when something new about the session may be in the log. */
  readonly bell: Bell;
  /** Aborts when this owner is to stop; the prompt then stays open for the next one. */
  readonly signal: AbortSignal;
}

/**
 * Sends the prompt and follows the answer. Safe to repeat by another owner: a prompt that the agent
 * has already is not sent again, and its messages are known by their ids.
 *
 * @throws when the agent is lost, and `stale_owner`
 */
export const answerPrompt = async (
  context: OwnerContext,
  { conversation, prompt, sandbox, bell, signal }: AnswerPrompt,
): Promise<void> => {
  const { promptId } = prompt;
  const started = await context.command({ type: "StartPrompt", epoch: context.epoch, promptId });
  const { text } = asStarted(started, prompt);
  const asked = questionOf({ promptId, text });
  await context.record(asked);
  context.tell({ type: "message", message: asked });
  conversation.answering(promptId);

  const turnEnd = conversation.nextTurnEnd();
  // Awaited below in every case but one: when the prompt turns out to be answered already.
  turnEnd.catch(() => undefined);
  const { client, agentSessionId } = conversation;
  const { sent } = await sendPrompt({ client, agentSessionId, promptId, text });
  if (!sent && (await client.status(agentSessionId)).type === "idle") {
    await finish(context, prompt, { outcome: "completed", failure: null });
    return;
  }
  const end = await untilEnd(context, { conversation, prompt, sandbox, bell, signal }, turnEnd);
  if (end === "interrupted") {
    return;
  }
  await finish(
    context,
    prompt,
    end.outcome === "completed"
      ? { outcome: "completed", failure: null }
      : { outcome: end.outcome === "aborted" ? "cancelled" : "failed", failure: end.failure },
  );
};

const untilEnd = async (
  context: OwnerContext,
  { conversation, prompt, sandbox, bell, signal }: AnswerPrompt,
  turnEnd: Promise<TurnEnd>,
): Promise<TurnEnd | "interrupted"> => {
  for (;;) {
    const waiting = new AbortController();
    const woken = bell.wait(AbortSignal.any([signal, waiting.signal])).then(() => "woken" as const);
    const first = await Promise.race([turnEnd, woken]);
    waiting.abort();
    if (first !== "woken") {
      return first;
    }
    if (signal.aborted) {
      return "interrupted";
    }
    conversation.lookAtToolAsks();
    const state = await currentState(context);
    // The agent itself asks for snapshots, in the middle of its turn.
    if (state.status !== "none") {
      const { kind, snapshotRequests } = state;
      for (const request of snapshotRequests) {
        await takeSnapshot(context, { sandbox, kind }, request);
      }
    }
    if (isToBeStopped(state, prompt)) {
      await conversation.client.abort(conversation.agentSessionId);
      return abortedWithin(
        turnEnd,
        AbortSignal.any([signal, AbortSignal.timeout(abortPatienceMs)]),
      );
    }
  }
};

const currentState = async ({ deps, organization, session }: OwnerContext): Promise<SessionState> =>
  (await loadAggregate(deps.store, sessionAggregate, { organization, id: session })).state;

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

const finish = async (
  context: OwnerContext,
  { promptId }: OpenPrompt,
  end: { readonly outcome: PromptOutcome; readonly failure: Failure | null },
): Promise<void> => {
  await context.command({ type: "FinishPrompt", epoch: context.epoch, promptId, ...end });
  context.tell({ type: "prompt_finished", promptId, ...end });
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
});
