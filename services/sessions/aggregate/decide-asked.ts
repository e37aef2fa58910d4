/** What the session's agent asks for through its tools, and what people answer. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import { maxEnvVariables } from "#contracts/session/limits";
import { fingerprintOf } from "../fingerprint.ts";
import type { ExistingSession, SessionEnvironment } from "./state.ts";

export type AskedCommand = Extract<
  SessionCommand,
  {
    type: "SaveServiceCommands" | "RequestEnvVariables" | "ProvideEnvVariables" | "RequestSnapshot";
  }
>;

/** @throws DomainError `tool_not_available`, `session_not_running`, `too_many_env_variables` */
export const decideAsked = (
  command: AskedCommand,
  state: ExistingSession,
): readonly SessionEvent[] => {
  switch (command.type) {
    case "SaveServiceCommands":
      if (state.kind !== "setup") {
        throw new DomainError(
          "tool_not_available",
          "Only setup sessions save the commands of services.",
        );
      }
      return fingerprintOf(state.serviceCommands) === fingerprintOf(command.commands)
        ? []
        : [{ type: "ServiceCommandsSaved", data: { commands: [...command.commands] } }];
    case "RequestEnvVariables": {
      const { requestId, keys } = command;
      return [{ type: "EnvVariablesRequested", data: { requestId, keys: [...keys] } }];
    }
    case "ProvideEnvVariables":
      return provideEnvVariables(command, state);
    case "RequestSnapshot":
      return requestSnapshot(command, state);
    default:
      return assertNever(command);
  }
};

/** The same names again are news: their values may be others. */
const provideEnvVariables = (
  { names, by }: Extract<AskedCommand, { type: "ProvideEnvVariables" }>,
  { environment }: ExistingSession,
): readonly SessionEvent[] => {
  requireRoom(environment, names);
  return names.length === 0
    ? []
    : [{ type: "EnvVariablesProvided", data: { names: [...new Set(names)], by } }];
};

/** @throws DomainError `too_many_env_variables` */
export const requireRoom = (known: SessionEnvironment, names: readonly string[]): void => {
  if (new Set([...known.names, ...names]).size <= maxEnvVariables) return;
  throw new DomainError("too_many_env_variables", "The session has too many variables.", {
    fields: { limit: maxEnvVariables },
  });
};

const requestSnapshot = (
  { requestId, message }: Extract<AskedCommand, { type: "RequestSnapshot" }>,
  { status, snapshotRequests, snapshots }: ExistingSession,
): readonly SessionEvent[] => {
  const known = [...snapshotRequests, ...snapshots].some((other) => other.requestId === requestId);
  if (known) return [];
  if (status === "paused" || status === "failed") {
    throw new DomainError("session_not_running", "There is no sandbox to take a snapshot of.");
  }
  return [{ type: "SnapshotRequested", data: { requestId, message } }];
};
