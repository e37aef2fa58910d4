import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import type { ToolAnswer } from "#contracts/tools/answer";
import { requestSnapshot } from "../../sessions/commands.ts";
import { loadSession } from "../../sessions/session-log.ts";
import type { SessionState } from "../../sessions/aggregate/state.ts";
import type { ToolHandler } from "../handler.ts";

/** Below the patience of the tool file, so that it hears a refusal and not a silence. */
const patienceMs = 100_000;
const firstPauseMs = 50;
const longestPauseMs = 500;

/**
 * Asks the session's owner, which has the sandbox, through the log: the request outlives this process, and
 * the sandbox's freeze, and is found again by the agent's next attempt.
 */
export const saveSnapshot: ToolHandler<"save_snapshot"> = async (
  deps,
  { organization, session, args, key: requestId, meta },
) => {
  const request = { requestId, message: args.message ?? null };
  await requestSnapshot(deps, { organization, session }, request, meta);
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(1.5 * pauseMs, longestPauseMs)) {
    const answer = answerOf(await loadSession(deps.store, { organization, session }), requestId);
    if (answer) return answer;
    if (performance.now() >= deadline) {
      throw new DomainError("tool_call_running", "The snapshot is still being taken.");
    }
    await delay(pauseMs);
  }
};

/** Null while the request waits. */
const answerOf = (state: SessionState, requestId: string): ToolAnswer | null => {
  if (state.status === "none") return null;
  const settled = state.snapshots.find((snapshot) => snapshot.requestId === requestId);
  if (settled && "snapshotId" in settled) {
    const { snapshotId } = settled;
    return {
      success: true,
      result: `The sandbox's files are saved as ${snapshotId}.`,
      data: { snapshotId, target: state.kind === "setup" ? "configuration" : "session" },
    };
  }
  if (settled) return { success: false, result: `No snapshot: ${settled.failure.message}` };
  if (state.snapshotRequests.some((request) => request.requestId === requestId)) return null;
  return { success: false, result: "No snapshot: the sandbox was put away before it was taken." };
};
