/**
 * What those who watch a session may not have been told: its owner may have died between recording it and telling
 * them.
 */
import type { LiveMessage } from "#contracts/live/messages";
import type { SessionEvent } from "#contracts/session/events";
import { eventsOf } from "#event-store/aggregates/load";
import type { EventStore } from "#event-store/event-store";
import { type LiveKey, publishLive } from "#event-store/live/live-channel";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { ExistingSession, SessionState, SnapshotResult } from "../sessions/aggregate/state.ts";
import { nameOfRequest } from "../sessions/live/snapshot-requests.ts";

type Told<T extends LiveMessage["type"]> = Extract<LiveMessage, { type: T }>;

/**
 * The end of the prompt that was answered last; null where none was yet. Whoever has been told is not told twice
 * (`services/fanout/watched-session/told-ends.ts`).
 */
export const lastEndMessage = (state: SessionState): Told<"prompt_finished"> | null =>
  state.status === "none" || state.lastEnd === null
    ? null
    : { type: "prompt_finished", ...state.lastEnd };

/**
 * Tells what a call for an owner has led to, in a session in which nobody does anything any more. What other calls
 * have led to is told for those.
 *
 * @param call the commit that has called for an owner
 * @throws when it could not be told
 */
export const tellOutcome = async (
  store: EventStore,
  key: LiveKey,
  { call, state }: { readonly call: RecordedCommit; readonly state: SessionState },
): Promise<void> => {
  if (state.status === "none") return;
  for (const message of outcomeOf(state, eventsOf(call) as readonly SessionEvent[])) {
    // An owner that has come meanwhile knows the status better; after a deletion there is no other status.
    const isPassing = message.type === "status" && state.status !== "stopped";
    await publishLive(store, { ...key, ...(isPassing && { epoch: state.epoch }) }, message);
  }
};

/** Pure. @param called the events of the call */
export const outcomeOf = (
  state: ExistingSession,
  called: readonly SessionEvent[],
): readonly LiveMessage[] => [
  ...endOfPrompt(state, called),
  ...endOfTrial(state, called),
  ...resultsOfSnapshots(state, called),
  ...statusMessage(state, called),
];

/** The ends of earlier prompts were told by whoever went on with the next one. */
const endOfPrompt = (
  state: ExistingSession,
  called: readonly SessionEvent[],
): readonly LiveMessage[] => {
  const end = lastEndMessage(state);
  const isOfCall = called.some(
    ({ type, data }) => type === "PromptQueued" && data.promptId === end?.promptId,
  );
  return end !== null && isOfCall ? [end] : [];
};

const endOfTrial = (
  { lastTrial }: ExistingSession,
  called: readonly SessionEvent[],
): readonly LiveMessage[] => {
  const isOfCall = called.some(
    ({ type, data }) => type === "ServiceTrialRequested" && data.requestId === lastTrial?.requestId,
  );
  return lastTrial !== null && isOfCall
    ? [{ type: "auto_start_finished", ...lastTrial, services: [...lastTrial.services] }]
    : [];
};

/** Also of one that was forgotten when the sandbox was put away. */
const resultsOfSnapshots = (
  { snapshots, snapshotRequests }: ExistingSession,
  called: readonly SessionEvent[],
): readonly LiveMessage[] =>
  called.flatMap(({ type, data }) => {
    if (type !== "SnapshotRequested") return [];
    const { requestId } = data;
    if (snapshotRequests.some((request) => request.requestId === requestId)) return [];
    const result = snapshots.find((settled) => settled.requestId === requestId);
    return [snapshotMessage(result ?? { requestId, failure: putAwayBefore })];
  });

const putAwayBefore = {
  code: "session_not_running",
  message: "The sandbox was put away before it was taken.",
};

/** What those who watch are told of a snapshot that was asked for. */
export const snapshotMessage = (result: SnapshotResult): LiveMessage => ({
  type: "snapshot_result",
  requestId: nameOfRequest(result.requestId),
  snapshotId: "snapshotId" in result ? result.snapshotId : null,
  failure: "failure" in result ? result.failure : null,
});

/** Whoever has answered anything in a sandbox has told before that it runs. */
const statusMessage = (
  { status, statusDetail }: ExistingSession,
  called: readonly SessionEvent[],
): readonly LiveMessage[] => {
  const beginsToRun = called.some(
    ({ type }) => type === "SandboxStarting" || type === "MigrationRequested",
  );
  return status !== "running" || beginsToRun
    ? [{ type: "status", status, detail: statusDetail }]
    : [];
};
