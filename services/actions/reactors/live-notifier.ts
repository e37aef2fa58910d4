/** Tells those who watch a session what becomes of its invocations. */
import { assertNever } from "#contracts/assert-never";
import type { InvocationEvent } from "#contracts/invocation/events";
import type { InvocationStatus } from "#contracts/invocation/status";
import type { LiveMessage } from "#contracts/live/messages";
import type { EventStore } from "#event-store/event-store";
import { publishLive } from "#event-store/live/live-channel";
import type { Log } from "#event-store/log";
import { startReactor } from "#event-store/workers/reactor";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { Worker } from "#event-store/workers/worker";
import { requireRequest } from "../invocation/invocation-log.ts";
import { approvalRequestOf, invocationEventsOf, keyOf } from "../invocation/reaction.ts";

export const startLiveNotifier = (store: EventStore, log: Log): Promise<Worker> =>
  startReactor(store, {
    name: "invocation-live",
    aggregates: ["invocation"],
    log,
    react: async (recorded) => {
      const key = keyOf(recorded);
      const message = messageOf(recorded);
      if (!message) return;
      const { sessionId } = await requireRequest(store, key);
      await publishLive(store, { organization: key.organization, session: sessionId }, message);
    },
  });

/** What a commit is to a watcher; null for what needs no word. */
const messageOf = (recorded: RecordedCommit): LiveMessage | null => {
  const { id: invocationId } = keyOf(recorded);
  const request = approvalRequestOf(recorded);
  if (request) {
    const { integration, action, params, expiresAt } = request;
    return {
      type: "action_approval_request",
      invocationId,
      integration,
      action,
      params,
      expiresAt,
    };
  }
  const last = invocationEventsOf(recorded).at(-1);
  return last ? { type: "action_updated", invocationId, status: statusAfter(last) } : null;
};

const statusAfter = ({ type }: InvocationEvent): InvocationStatus => {
  switch (type) {
    case "ActionInvoked":
      return "pending";
    case "ActionApproved":
      return "approved";
    case "ActionDenied":
      return "denied";
    case "ActionExpired":
      return "expired";
    case "ExecutionStarted":
    case "ExecutionRetried":
      return "executing";
    case "ActionCompleted":
    case "FullResultRead":
      return "completed";
    case "ActionFailed":
      return "failed";
    case "OutcomeLost":
      return "outcome_unknown";
    default:
      return assertNever(type);
  }
};
