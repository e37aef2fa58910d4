import { assertNever } from "#contracts/assert-never";
import type { SessionEvent } from "#contracts/session/events";
import type { ExistingSession } from "../aggregate/state.ts";

export type MigrationEvent = Extract<
  SessionEvent,
  {
    type:
      | "MigrationRequested"
      | "MigrationStarted"
      | "MigrationFailed"
      | "SandboxMigrated"
      | "SpareSandboxEnded";
  }
>;

/** The state after a step of a migration. */
export const evolveMigration = (
  state: ExistingSession,
  { type, data }: MigrationEvent,
): ExistingSession => {
  switch (type) {
    case "MigrationRequested":
      return state.status === "running"
        ? { ...state, status: "migrating", statusDetail: null }
        : state;
    case "MigrationStarted":
      return {
        ...state,
        snapshotId: data.snapshotId,
        spares: [...without(state.spares, data.generation), data.generation],
      };
    case "MigrationFailed":
      return state.status === "migrating"
        ? {
            ...state,
            status: "running",
            statusDetail: data.failure.message,
            migrationFailures: state.migrationFailures + 1,
          }
        : state;
    case "SandboxMigrated":
      return state.status === "migrating"
        ? {
            ...state,
            status: "running",
            generation: data.generation,
            sandboxId: data.sandboxId,
            expiresAt: data.expiresAt,
            spares: [...without(state.spares, data.generation), state.generation],
            migrationFailures: 0,
            statusDetail: null,
          }
        : state;
    case "SpareSandboxEnded":
      return { ...state, spares: without(state.spares, data.generation) };
    default:
      return assertNever(type);
  }
};

const without = (generations: readonly number[], generation: number): readonly number[] =>
  generations.filter((other) => other !== generation);
