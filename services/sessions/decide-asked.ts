/** What the session's agent asks for through its tools. */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import { fingerprintOf } from "./fingerprint.ts";
import type { ExistingSession } from "./state.ts";

export type AskedCommand = Extract<
  SessionCommand,
  { type: "SaveServiceCommands" | "RequestEnvVariables" | "RequestSnapshot" }
>;

/** @throws DomainError `tool_not_available`, `session_not_running` */
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
    case "RequestSnapshot":
      return requestSnapshot(command, state);
    default:
      return assertNever(command);
  }
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
