/**
 * Moving a session to another sandbox, because the provider ends the present one. The present one stays the
 * session's until `SandboxMigrated`, and every other one that may be there is among the spares until it
 * was ended: so none is forgotten, whoever dies in between.
 */
import { assertNever } from "#contracts/assert-never";
import { DomainError } from "#contracts/errors";
import type { SessionCommand } from "#contracts/session/commands";
import type { SessionEvent } from "#contracts/session/events";
import type { ExistingSession } from "../aggregate/state.ts";

type Command<T extends SessionCommand["type"]> = Extract<SessionCommand, { type: T }>;

export type MigrationCommand = Command<
  "StartMigration" | "ReportMigrationFailed" | "ReportMigrated" | "ReportSpareEnded"
>;

/** A sandbox that is to be paused, or was replaced meanwhile, is not moved out of. */
export const requestMigration = (
  { sandboxId }: Command<"RequestMigration">,
  state: ExistingSession,
): readonly SessionEvent[] =>
  state.status === "running" && state.sandboxId === sandboxId && state.pause !== "requested"
    ? [{ type: "MigrationRequested", data: {} }]
    : [];

/** @throws DomainError `session_not_running` */
export const decideMigration = (
  command: MigrationCommand,
  state: ExistingSession,
): readonly SessionEvent[] => {
  const { epoch } = command;
  switch (command.type) {
    case "StartMigration": {
      refuseUnlessMigrating(state);
      const { generation, snapshotId } = command;
      return isSpare(generation, state) && state.snapshotId === snapshotId
        ? []
        : [{ type: "MigrationStarted", data: { epoch, generation, snapshotId } }];
    }
    case "ReportMigrationFailed":
      return state.status === "migrating"
        ? [{ type: "MigrationFailed", data: { epoch, failure: command.failure } }]
        : [];
    case "ReportMigrated": {
      const { generation, sandboxId, expiresAt } = command;
      if (state.generation === generation && state.sandboxId === sandboxId) return [];
      refuseUnlessMigrating(state);
      if (!isSpare(generation, state)) throw notMoving();
      return [{ type: "SandboxMigrated", data: { epoch, generation, sandboxId, expiresAt } }];
    }
    case "ReportSpareEnded": {
      const { generation } = command;
      return isSpare(generation, state)
        ? [{ type: "SpareSandboxEnded", data: { epoch, generation } }]
        : [];
    }
    default:
      return assertNever(command);
  }
};

const isSpare = (generation: number, { spares }: ExistingSession): boolean =>
  spares.includes(generation);

const refuseUnlessMigrating = ({ status }: ExistingSession): void => {
  if (status !== "migrating") throw notMoving();
};

const notMoving = (): DomainError =>
  new DomainError("session_not_running", "The session is not to be moved to this sandbox.");
