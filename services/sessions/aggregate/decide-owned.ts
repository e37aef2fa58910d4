/** The commands of a session's owner, once its epoch has been found good. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import { decideMigration } from "../migration/decide-migration.ts";
import { reportServicesTried } from "../service-trial/decide-trial.ts";
import type { ExistingSession } from "./state.ts";

export type OwnerCommand = Exclude<
  Extract<SessionCommand, { readonly epoch: number }>,
  { type: "AcquireOwnership" }
>;
type Command<T extends OwnerCommand["type"]> = Extract<OwnerCommand, { type: T }>;

/** @throws DomainError `session_not_running`, `prompt_not_found`, `sandbox_provider_changed` */
export const decideOwned = (
  command: OwnerCommand,
  state: ExistingSession,
): readonly SessionEvent[] => {
  switch (command.type) {
    case "StartSandbox":
      refuseWhenPaused(state);
      refuseOtherProvider(command, state);
      return [
        { type: "SandboxStarting", data: { epoch: command.epoch, provider: command.provider } },
      ];
    case "ReportSandboxWarning":
      return [{ type: "SandboxWarned", data: { epoch: command.epoch, warning: command.warning } }];
    case "ReportPutAway":
      return state.snapshotId === command.snapshotId
        ? []
        : [
            {
              type: "SandboxPutAway",
              data: { epoch: command.epoch, snapshotId: command.snapshotId },
            },
          ];
    case "ReportSandboxReady":
      return reportReady(command, state);
    case "ReportStartFailed":
      return state.status === "starting"
        ? [
            {
              type: "SandboxStartFailed",
              data: { epoch: command.epoch, failure: command.failure },
            },
          ]
        : [];
    case "StartMigration":
    case "ReportMigrationFailed":
    case "ReportMigrated":
    case "ReportSpareEnded":
      return decideMigration(command, state);
    case "ReportSandboxFailed":
      return state.status === "failed" || state.status === "paused"
        ? []
        : [{ type: "SandboxFailed", data: { epoch: command.epoch, failure: command.failure } }];
    case "StartPrompt":
      return startPrompt(command, state);
    case "FinishPrompt":
      return finishPrompt(command, state);
    case "ReportSnapshotTaken": {
      const { epoch, requestId, snapshotId } = command;
      return isWanted(requestId, state)
        ? [{ type: "SnapshotTaken", data: { epoch, requestId, snapshotId } }]
        : [];
    }
    case "ReportSnapshotFailed": {
      const { epoch, requestId, failure } = command;
      return isWanted(requestId, state)
        ? [{ type: "SnapshotFailed", data: { epoch, requestId, failure } }]
        : [];
    }
    case "ReportServicesTried":
      return reportServicesTried(command, state);
    case "ReportPaused":
      return reportPaused(command, state);
    case "ReportIdlePauseFailed":
      // Somebody has come back meanwhile: then there is nothing to count.
      return state.idlePause === null
        ? []
        : [{ type: "IdlePauseFailed", data: { epoch: command.epoch, failure: command.failure } }];
    case "ReportIdleSandboxEnded":
      return reportIdleSandboxEnded(command, state);
    default:
      return assertNever(command);
  }
};

/** A request that was settled before, or that went with its sandbox, needs no word any more. */
const isWanted = (requestId: string, { snapshotRequests }: ExistingSession): boolean =>
  snapshotRequests.some((request) => request.requestId === requestId);

const refuseWhenPaused = ({ status }: ExistingSession): void => {
  if (status === "paused") throw new DomainError("session_not_running", "The session is paused.");
};

/** Another provider would know nothing of the session's files. */
const refuseOtherProvider = (
  { provider }: Command<"StartSandbox">,
  state: ExistingSession,
): void => {
  if (state.provider === null || state.provider === provider) return;
  throw new DomainError(
    "sandbox_provider_changed",
    `The session's sandbox is at "${state.provider}", and this runner works with "${provider}".`,
    { fields: { provider: state.provider, present: provider } },
  );
};

const reportReady = (
  { epoch, sandboxId, agentSessionId, bootMs, expiresAt }: Command<"ReportSandboxReady">,
  state: ExistingSession,
): readonly SessionEvent[] => {
  refuseWhenPaused(state);
  const known =
    state.status === "running" &&
    state.sandboxId === sandboxId &&
    state.agentSessionId === agentSessionId;
  return known
    ? []
    : [{ type: "SandboxReady", data: { epoch, sandboxId, agentSessionId, bootMs, expiresAt } }];
};

const startPrompt = (
  { epoch, promptId }: Command<"StartPrompt">,
  state: ExistingSession,
): readonly SessionEvent[] => {
  if (state.status !== "running") {
    throw new DomainError("session_not_running", "The session's sandbox is not running.");
  }
  const [first] = state.prompts;
  if (first?.promptId !== promptId) {
    throw new DomainError("prompt_not_found", "This prompt is not the next one of the session.", {
      fields: { promptId },
    });
  }
  return first.started ? [] : [{ type: "PromptStarted", data: { epoch, promptId } }];
};

const finishPrompt = (
  { epoch, promptId, outcome, failure }: Command<"FinishPrompt">,
  { prompts, finished }: ExistingSession,
): readonly SessionEvent[] => {
  if (prompts.some((prompt) => prompt.promptId === promptId)) {
    return [{ type: "PromptFinished", data: { epoch, promptId, outcome, failure } }];
  }
  if (finished.some((prompt) => prompt.promptId === promptId)) return [];
  throw new DomainError("prompt_not_found", "The session has no such prompt.", {
    fields: { promptId },
  });
};

/**
 * The sandbox is away. Whoever asked for the session meanwhile gets it back: without the second event
 * that prompt would wait in a paused session, and nobody would come for it.
 */
const reportPaused = (
  { epoch }: Command<"ReportPaused">,
  { status, pause }: ExistingSession,
): readonly SessionEvent[] => {
  const noSandbox = status === "pending" || status === "failed";
  // A report that comes again must not take back the resumption that followed the first one.
  if (status === "paused" || (noSandbox && pause === "none")) return [];
  const paused: SessionEvent = { type: "SessionPaused", data: { epoch } };
  return pause === "withdrawn" ? [paused, { type: "ResumeRequested", data: {} }] : [paused];
};

/** As after a pause: whoever asked for the session meanwhile gets it back, as far as it was kept. */
const reportIdleSandboxEnded = (
  { epoch, failure }: Command<"ReportIdleSandboxEnded">,
  { status, pause }: ExistingSession,
): readonly SessionEvent[] => {
  if (status !== "running" || pause === "none") return [];
  const ended: SessionEvent = { type: "IdleSandboxEnded", data: { epoch, failure } };
  return pause === "withdrawn" ? [ended, { type: "ResumeRequested", data: {} }] : [ended];
};
