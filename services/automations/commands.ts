import type { InvocationId, OrganizationId, RunId, SessionId, TriggerId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { RunCommand } from "#contracts/run/commands";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import { execute } from "#event-store/aggregates/execute";
import { type AggregateKey, loadAggregate } from "#event-store/aggregates/load";
import { sessionIdOf } from "../sessions/creation/create-session.ts";
import { runDecider, type RunState } from "./decider.ts";

/** Its text becomes its session's, which is erased with it; that the session's id is known before is why. */
const aggregate = {
  aggregate: "run",
  decider: runDecider,
  textOwner: ({ organization, id }: AggregateKey) => sessionIdOf(organization, id),
} as const;

export interface RunKey {
  readonly organization: OrganizationId;
  readonly id: RunId;
}

/** The automation that the run belongs to; null for a run that is not there. */
export const triggerOfRun = async (store: EventStore, run: RunKey): Promise<TriggerId | null> => {
  const state = await loadRun(store, run);
  return state.status === "absent" ? null : state.triggerId;
};

type Match = Extract<RunCommand, { type: "MatchTrigger" }>;

/** Records that a trigger has matched. A run that is there already stays as it is. */
export const matchTrigger = async (
  store: EventStore,
  run: RunKey,
  match: Omit<Match, "type">,
  meta: CommandMeta,
): Promise<Position> =>
  (await execute(store, aggregate, run, { type: "MatchTrigger", ...match }, meta)).position;

/** Records which session works on the run. */
export const openRunSession = async (
  store: EventStore,
  run: RunKey,
  sessionId: SessionId,
  meta: CommandMeta,
): Promise<Position> =>
  (await execute(store, aggregate, run, { type: "OpenRunSession", sessionId }, meta)).position;

/** Records that the run waits for somebody's decision. */
export const pauseRun = async (
  store: EventStore,
  run: RunKey,
  invocationId: InvocationId,
  meta: CommandMeta,
): Promise<void> => {
  await execute(store, aggregate, run, { type: "PauseRun", invocationId }, meta);
};

/** Records that it was decided; answers how the run stands then. */
export const resumeRun = async (
  store: EventStore,
  run: RunKey,
  invocationId: InvocationId,
  meta: CommandMeta,
): Promise<RunState> =>
  (await execute(store, aggregate, run, { type: "ResumeRun", invocationId }, meta)).state;

/** The run as the log has it. */
export const loadRun = async (store: EventStore, run: RunKey): Promise<RunState> =>
  (await loadAggregate(store, aggregate, run)).state;

type Completion = Extract<RunCommand, { type: "CompleteRun" }>;

/**
 * Records how the run has ended, once for each completion id.
 * @throws DomainError `run_already_completed`, `forbidden` for another session than the run's
 */
export const completeRun = async (
  store: EventStore,
  run: RunKey,
  completion: Omit<Completion, "type">,
  meta: CommandMeta,
): Promise<Position> =>
  (await execute(store, aggregate, run, { type: "CompleteRun", ...completion }, meta)).position;
