import { type Changes, defineRowProjection } from "../runtime/row-projection.ts";
import { type ActivityRow, activityTable } from "./table.ts";

/** What an owner that died had done of an answer has no end, and does not count; its successor begins anew. */
const interrupted = (row: ActivityRow): ActivityRow => ({ ...row, answering: null });

const change: Changes<ActivityRow> = {
  OwnershipAcquired: interrupted,
  PromptStarted: (row, { promptId }, { meta }) => ({
    ...row,
    answering: { promptId, since: meta.at },
  }),
  PromptFinished: (row, { promptId }, { meta }) =>
    row.answering?.promptId === promptId
      ? {
          ...row,
          active_ms: row.active_ms + lasted(row.answering.since, meta.at),
          answering: null,
        }
      : row,
  SandboxFailed: interrupted,
  SessionPaused: interrupted,
  SessionStopped: interrupted,
  PullRequestOpened: (row, { url }) =>
    row.pull_requests.includes(url) ? row : { ...row, pull_requests: [...row.pull_requests, url] },
  TextErased: (row) => ({ ...row, pull_requests: [] }),
};

/** Two processes' clocks may disagree about which came first. */
const lasted = (since: string, until: string): number =>
  Math.max(0, Date.parse(until) - Date.parse(since));

export const activityProjection = defineRowProjection<ActivityRow>({
  name: "activity",
  version: 1,
  schema: new URL("./schema.sql", import.meta.url),
  aggregate: "session",
  table: activityTable,
  create: {
    SessionCreated: (_data, { organization, id }) => ({
      organization_id: organization,
      id,
      active_ms: 0,
      answering: null,
      pull_requests: [],
    }),
  },
  change,
});
