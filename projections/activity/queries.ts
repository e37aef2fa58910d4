import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { activityTable } from "./table.ts";

export interface Activity {
  /** Whole seconds of the prompts that were answered to their end. */
  readonly activeSeconds: number;
  /** When the agent began with what it is at; null between two prompts. */
  readonly answeringSince: string | null;
  /** Those that people have opened, the oldest first. */
  readonly pullRequests: readonly string[];
}

/** Null if the organisation has no session of this id. */
export const getActivity = async (
  sql: Queryable,
  { organization, session }: { readonly organization: string; readonly session: string },
): Promise<Activity | null> => {
  const [raw] = await sql`
    select ${sql(columnsOf(activityTable))} from activity
    where organization_id = ${organization} and id = ${session}`;
  if (!raw) return null;
  const row = rowOf(activityTable, raw);
  return {
    activeSeconds: Math.round(row.active_ms / 1_000),
    answeringSince: row.answering?.since ?? null,
    pullRequests: row.pull_requests,
  };
};
