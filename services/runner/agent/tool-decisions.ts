/** Brings what people decide on an agent's own tools to the session's owner, who answers the agent. */
import { agentIntegration } from "#contracts/policy/agent-tools";
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { requestOwner } from "#event-store/live/owner-requests";
import { startReactor } from "#event-store/workers/reactor";
import type { Handled, Worker } from "#event-store/workers/worker";
import { withdrawApproved } from "../../actions/agent-tools/desk.ts";
import { type InvocationKey, requireInvocation } from "../../actions/invocation/invocation-log.ts";
import { keyOf } from "../../actions/invocation/reaction.ts";
import { loadSession } from "../../sessions/session-log.ts";

/** How soon it is looked at again whether the decision has arrived, in milliseconds. */
const watchIntervalMs = 2_000;

/**
 * An owner that dies on the way is replaced, and its successor finds the question where it was: so it is
 * called until the tool was let run, or until nobody is left who could.
 */
export const startToolDecisions = (store: EventStore, log: Log): Promise<Worker> =>
  startReactor(store, {
    name: "agent-tool-decisions",
    aggregates: ["invocation"],
    events: ["ActionApproved", "ActionDenied", "ActionExpired"],
    log,
    maxAttempts: Number.POSITIVE_INFINITY,
    react: (recorded) => bringToOwner(store, keyOf(recorded)),
  });

const bringToOwner = async (store: EventStore, key: InvocationKey): Promise<Handled> => {
  const { request, status } = (await requireInvocation(store, key)).state;
  if (request.integration !== agentIntegration) return;
  const { organization } = key;
  const { sessionId } = request;
  const told = (await requestOwner(store, sessionId, "wake")) === "answered";
  const released = status !== "approved" && status !== "executing";
  if (released && told) return;
  const state = await loadSession(store, { organization, session: sessionId });
  // A tool only waits while a prompt is being answered.
  if (state.status !== "none" && state.status !== "stopped" && state.prompts.length > 0) {
    return { retryInMs: watchIntervalMs };
  }
  await withdrawApproved(store, { organization, sessionId }, key.id);
};
