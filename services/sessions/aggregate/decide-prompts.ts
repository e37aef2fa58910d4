/** The queue of a session's prompts: what people may do to it before the agent gets to them. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { PromptId } from "#contracts/ids";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import { maxOpenPrompts } from "#contracts/session/limits";
import { fingerprintOf } from "../fingerprint.ts";
import type { ExistingSession, OpenPrompt } from "./state.ts";

export type PromptCommand = Extract<
  SessionCommand,
  { type: "QueuePrompt" | "ChangePrompt" | "WithdrawPrompt" | "CancelPrompts" }
>;

/** @throws DomainError `idempotency_key_reused`, `prompt_queue_full`, `prompt_not_found`, `prompt_started` */
export const decidePrompts = (
  command: PromptCommand,
  state: ExistingSession,
): readonly SessionEvent[] => {
  switch (command.type) {
    case "QueuePrompt":
      return queuePrompt(command, state);
    case "ChangePrompt": {
      const { promptId, text } = command;
      const prompt = waiting(promptId, state);
      return prompt.text === text ? [] : [{ type: "PromptChanged", data: { promptId, text } }];
    }
    case "WithdrawPrompt": {
      const { promptId } = command;
      if (state.finished.some((prompt) => prompt.promptId === promptId)) return [];
      return cancel([waiting(promptId, state)]);
    }
    case "CancelPrompts":
      return cancel(state.prompts);
    default:
      return assertNever(command);
  }
};

const queuePrompt = (
  { promptId, text, by }: Extract<PromptCommand, { type: "QueuePrompt" }>,
  { prompts, finished }: ExistingSession,
): readonly SessionEvent[] => {
  const known = [...prompts, ...finished].find((prompt) => prompt.promptId === promptId);
  if (known) {
    if (known.fingerprint === fingerprintOf(text)) return [];
    throw keyReused();
  }
  if (prompts.length >= maxOpenPrompts) {
    throw new DomainError("prompt_queue_full", "Too many prompts of this session wait already.", {
      fields: { limit: maxOpenPrompts },
    });
  }
  return [{ type: "PromptQueued", data: { promptId, text, by } }];
};

const cancel = (prompts: readonly OpenPrompt[]): readonly SessionEvent[] => {
  const promptIds = prompts
    .filter(({ cancelRequested }) => !cancelRequested)
    .map(({ promptId }) => promptId);
  return promptIds.length === 0 ? [] : [{ type: "CancelRequested", data: { promptIds } }];
};

/** A prompt that the agent has not been given. */
const waiting = (promptId: PromptId, { prompts }: ExistingSession): OpenPrompt => {
  const prompt = prompts.find((open) => open.promptId === promptId);
  if (!prompt) {
    throw new DomainError("prompt_not_found", "No such prompt waits in the session.", {
      fields: { promptId },
    });
  }
  if (prompt.begun) {
    throw new DomainError("prompt_started", "The prompt is being answered already.", {
      fields: { promptId },
    });
  }
  return prompt;
};

export const keyReused = (): DomainError =>
  new DomainError("idempotency_key_reused", "The idempotency key was used for another request.");
