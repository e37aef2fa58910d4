/**
 * What may happen to a session. Commands of an owner carry its epoch: only the newest owner's count,
 * so an owner that slept through its replacement changes nothing, whatever its clock says.
 */
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import type { Decider } from "#event-store/aggregates/decider";
import type { AggregateKey } from "#event-store/aggregates/load";
import { evolveSession } from "./evolve.ts";
import { decideAsked } from "./decide-asked.ts";
import { decideOwned, type OwnerCommand } from "./decide-owned.ts";
import { decidePrompts, keyReused } from "./decide-prompts.ts";
import { isAtRest } from "../idle/at-rest.ts";
import { requestMigration } from "../migration/decide-migration.ts";
import { requestServiceTrial } from "../service-trial/decide-trial.ts";
import type { ExistingSession, SessionState } from "./state.ts";

type Command<T extends SessionCommand["type"]> = Extract<SessionCommand, { type: T }>;

const decide = (command: SessionCommand, state: SessionState): readonly SessionEvent[] => {
  if (command.type === "CreateSession") return create(command, state);
  if (state.status === "none") {
    throw new DomainError("session_not_found", "There is no such session.");
  }
  if (command.type === "DeleteSession") return deleteSession(command, state);
  if (state.status === "stopped") {
    throw new DomainError("session_stopped", "The session was deleted.");
  }
  switch (command.type) {
    case "QueuePrompt":
    case "ChangePrompt":
    case "WithdrawPrompt":
    case "CancelPrompts":
      return decidePrompts(command, state);
    case "RenameSession":
      return state.title === command.title
        ? []
        : [{ type: "SessionRenamed", data: { title: command.title } }];
    case "SetAutoDelete":
      return state.autoDeleteDays === command.days
        ? []
        : [{ type: "AutoDeleteSet", data: { days: command.days } }];
    case "RecordPullRequest": {
      const { repository, number, url } = command;
      return state.pullRequests.includes(url)
        ? []
        : [{ type: "PullRequestOpened", data: { repository, number, url } }];
    }
    case "RequestPause":
      return state.status === "paused" || state.pause === "requested"
        ? []
        : [{ type: "PauseRequested", data: {} }];
    case "RequestIdlePause":
      return isAtRest(state, command.after)
        ? [
            { type: "SessionFoundIdle", data: {} },
            { type: "PauseRequested", data: {} },
          ]
        : [];
    case "RequestResume":
      return state.status === "paused" ||
        state.status === "failed" ||
        state.deferred ||
        state.pause === "requested"
        ? [{ type: "ResumeRequested", data: {} }]
        : [];
    case "RequestMigration":
      return requestMigration(command, state);
    case "SaveServiceCommands":
    case "RequestEnvVariables":
    case "ProvideEnvVariables":
    case "RequestSnapshot":
      return decideAsked(command, state);
    case "RequestServiceTrial":
      return requestServiceTrial(command, state);
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
  const { configuration, parentId, connections, deferred } = command;
  return [
    { type: "SessionCreated", data: { ...data, fingerprint } },
    ...(configuration ? ([{ type: "ConfigurationApplied", data: configuration }] as const) : []),
    ...(parentId ? ([{ type: "ParentNamed", data: { parentId } }] as const) : []),
    ...(connections ? ([{ type: "ConnectionsValidated", data: connections }] as const) : []),
    ...(deferred && !prompt ? ([{ type: "ProvisioningDeferred", data: {} }] as const) : []),
    ...(prompt ? ([{ type: "PromptQueued", data: prompt }] as const) : []),
  ];
};

const deleteSession = (
  { erase = false }: Command<"DeleteSession">,
  { status, erasureRequested }: ExistingSession,
): readonly SessionEvent[] => [
  ...(status === "stopped"
    ? []
    : ([{ type: "SessionStopped", data: { reason: "deleted" } }] as const)),
  ...(erase && !erasureRequested ? ([{ type: "ErasureRequested", data: {} }] as const) : []),
];

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

export const sessionDecider: Decider<SessionCommand, SessionEvent, SessionState> = {
  initialState: () => ({ status: "none" }),
  decide,
  evolve: evolveSession,
};

/** For `execute` and `loadAggregate`. */
export const sessionAggregate = {
  aggregate: "session",
  decider: sessionDecider,
  snapshotVersion: 8,
  textOwner: ({ id }: AggregateKey) => id,
} as const;
