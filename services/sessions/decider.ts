/**
 * What may happen to a session. Commands of an owner carry its epoch: only the newest owner's count,
 * so an owner that slept through its replacement changes nothing, whatever its clock says.
 */
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import type { Decider } from "#event-store/decider";
import type { AggregateKey } from "#event-store/load";
import { evolveSession } from "./evolve.ts";
import { decideAsked } from "./decide-asked.ts";
import { decideOwned, type OwnerCommand } from "./decide-owned.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { ExistingSession, SessionState } from "./state.ts";

type Command<T extends SessionCommand["type"]> = Extract<SessionCommand, { type: T }>;

const decide = (command: SessionCommand, state: SessionState): readonly SessionEvent[] => {
  if (command.type === "CreateSession") return create(command, state);
  if (state.status === "none") {
    throw new DomainError("session_not_found", "There is no such session.");
  }
  if (command.type === "DeleteSession") {
    return state.status === "stopped"
      ? []
      : [{ type: "SessionStopped", data: { reason: "deleted" } }];
  }
  if (state.status === "stopped") {
    throw new DomainError("session_stopped", "The session was deleted.");
  }
  switch (command.type) {
    case "QueuePrompt":
      return queuePrompt(command, state);
    case "CancelPrompts":
      return cancelPrompts(state);
    case "RequestPause":
      return state.status === "paused" || state.pause === "requested"
        ? []
        : [{ type: "PauseRequested", data: {} }];
    case "RequestResume":
      return state.status === "paused" || state.status === "failed" || state.pause === "requested"
        ? [{ type: "ResumeRequested", data: {} }]
        : [];
    case "SaveServiceCommands":
    case "RequestEnvVariables":
    case "RequestSnapshot":
      return decideAsked(command, state);
    case "AcquireOwnership":
      return acquireOwnership(command, state);
    default:
      return ownerCommand(command, state);
  }
};

const create = (
  command: Command<"CreateSession">,
  state: SessionState,
): readonly SessionEvent[] => {
  const { title, origin, kind, repositories, model, systemPrompt, fingerprint, prompt } = command;
  if (state.status !== "none") {
    if (state.fingerprint === fingerprint) return [];
    throw keyReused();
  }
  const data = { title, origin, kind, repositories: [...repositories], model, systemPrompt };
  const created: SessionEvent = { type: "SessionCreated", data: { ...data, fingerprint } };
  return prompt ? [created, { type: "PromptQueued", data: prompt }] : [created];
};

const queuePrompt = (
  { promptId, text, by }: Command<"QueuePrompt">,
  { prompts, finished }: ExistingSession,
): readonly SessionEvent[] => {
  const open = prompts.find((prompt) => prompt.promptId === promptId);
  const done = finished.find((prompt) => prompt.promptId === promptId);
  const known = open ? fingerprintOf(open.text) : done?.fingerprint;
  if (known === undefined) return [{ type: "PromptQueued", data: { promptId, text, by } }];
  if (known !== fingerprintOf(text)) throw keyReused();
  return [];
};

const cancelPrompts = ({ prompts }: ExistingSession): readonly SessionEvent[] => {
  const promptIds = prompts
    .filter((prompt) => !prompt.cancelRequested)
    .map(({ promptId }) => promptId);
  return promptIds.length === 0 ? [] : [{ type: "CancelRequested", data: { promptIds } }];
};

const acquireOwnership = (
  { instance, epoch }: Command<"AcquireOwnership">,
  state: ExistingSession,
): readonly SessionEvent[] => {
  if (epoch === state.epoch && instance === state.instance) return [];
  if (epoch <= state.epoch) throw staleOwner(epoch, state);
  return [{ type: "OwnershipAcquired", data: { instance, epoch } }];
};

const ownerCommand = (command: OwnerCommand, state: ExistingSession): readonly SessionEvent[] => {
  if (command.epoch !== state.epoch) throw staleOwner(command.epoch, state);
  return decideOwned(command, state);
};

const staleOwner = (epoch: number, state: ExistingSession): DomainError =>
  new DomainError("stale_owner", "Another owner has the session.", {
    fields: { epoch, present: state.epoch },
  });

const keyReused = (): DomainError =>
  new DomainError("idempotency_key_reused", "The idempotency key was used for another request.");

export const sessionDecider: Decider<SessionCommand, SessionEvent, SessionState> = {
  initialState: () => ({ status: "none" }),
  decide,
  evolve: evolveSession,
};

/** For `execute` and `loadAggregate`. */
export const sessionAggregate = {
  aggregate: "session",
  decider: sessionDecider,
  snapshotVersion: 2,
  textOwner: ({ id }: AggregateKey) => id,
} as const;
