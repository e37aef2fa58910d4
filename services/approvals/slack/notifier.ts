/** Asks in Slack when an action waits for a person. */
import type { EventStore } from "#event-store/event-store";
import type { Log } from "#event-store/log";
import { startReactor } from "#event-store/workers/reactor";
import type { Worker } from "#event-store/workers/worker";
import { requireInvocation } from "../../actions/invocation/invocation-log.ts";
import { approvalRequestOf, keyOf } from "../../actions/invocation/reaction.ts";
import { approvalBlocks } from "./message.ts";
import type { SlackApp } from "./slack-app.ts";

export interface SlackNotifierOptions {
  readonly slack: SlackApp;
  /** The id of the channel; the bot has to be in it. */
  readonly channel: string;
  readonly log: Log;
}

/** Slack may be asked twice where a process dies in between: two messages, and still one decision. */
export const startSlackNotifier = (
  store: EventStore,
  { slack, channel, log }: SlackNotifierOptions,
): Promise<Worker> =>
  startReactor(store, {
    name: "slack-approvals",
    aggregates: ["invocation"],
    events: ["ActionInvoked"],
    log,
    react: async (recorded) => {
      const request = approvalRequestOf(recorded);
      if (!request) return;
      const { organization, id: invocationId } = keyOf(recorded);
      if (!(await slack.isConnected(organization))) return;
      // While Slack was away it may have been decided on.
      const { state } = await requireInvocation(store, { organization, id: invocationId });
      if (state.status !== "pending") return;
      const { integration, action, sessionId } = request;
      await slack.postMessage(organization, {
        channel,
        text: `An agent asks for ${integration}/${action}`,
        blocks: approvalBlocks(request, { organization, sessionId, invocationId }),
      });
    },
  });
