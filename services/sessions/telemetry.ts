import type { Sql } from "postgres";
import type { SessionTelemetry } from "#contracts/session/telemetry";
import type { SessionView } from "#contracts/session/view";
import { getActivity } from "#projections/activity/queries";
import { usageOfMessages } from "#projections/messages/usage";

const up: readonly SessionView["status"][] = ["pending", "starting", "running"];

/** What a session has come to, from the read models as they stand. */
export const telemetryOf = async (
  sql: Sql,
  { organizationId: organization, id: session, status }: SessionView,
): Promise<SessionTelemetry> => {
  const [activity, usage] = await Promise.all([
    getActivity(sql, { organization, session }),
    usageOfMessages(sql, { organization, session }),
  ]);
  const opened = activity?.pullRequests ?? [];
  return {
    ...usage,
    activeSeconds: activity?.activeSeconds ?? 0,
    answeringSince: activity?.answeringSince ?? null,
    latestTask: up.includes(status) ? usage.latestTask : null,
    pullRequests: [...new Set([...opened, ...usage.pullRequests])],
  };
};
