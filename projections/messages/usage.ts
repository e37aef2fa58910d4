import type { TokenUsage } from "#contracts/transcript/message";
import type { Queryable } from "../database.ts";

/** What the messages of a session come to. */
export interface MessagesUsage {
  readonly messages: number;
  readonly toolCalls: number;
  readonly tokens: TokenUsage;
  /** In US dollars, as the agent counts it. */
  readonly cost: number;
  /** What the agent's newest tool call was called; null without any. */
  readonly latestTask: string | null;
  /** That the agent has written of, each once, in no certain order. */
  readonly pullRequests: readonly string[];
}

/** GitHub's own or a company's: `https://<host>/<owner>/<repository>/pull/<number>`. */
const pullRequestPattern = "https://[A-Za-z0-9.-]+/[A-Za-z0-9-]+/[A-Za-z0-9._-]+/pull/[0-9]+";

interface UsageRow {
  readonly messages: number;
  readonly tool_calls: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cost: number;
  readonly latest_task: string | null;
  readonly pull_requests: string[];
}

/**
 * Added up from the messages each time: each message is one row, however often it was recorded, so nothing
 * is counted twice and there is no counter to get wrong.
 */
export const usageOfMessages = async (
  sql: Queryable,
  { organization, session }: { readonly organization: string; readonly session: string },
): Promise<MessagesUsage> => {
  const tokens = (name: keyof TokenUsage) =>
    sql`coalesce(sum((usage->>${name})::double precision), 0)`;
  const [row] = await sql<UsageRow[]>`
    with own as (
      select * from messages where organization_id = ${organization} and session_id = ${session}
    ), part as (
      select own.sequence, own.event, own.role, p.place, p.value
      from own, jsonb_array_elements(own.parts) with ordinality as p(value, place)
    )
    select count(*)::int as messages,
      (select count(*)::int from part where value->>'kind' = 'tool') as tool_calls,
      ${tokens("input")} as input, ${tokens("output")} as output,
      ${tokens("reasoning")} as reasoning,
      ${tokens("cacheRead")} as cache_read, ${tokens("cacheWrite")} as cache_write,
      coalesce(sum(cost), 0) as cost,
      (
        select value->>'title' from part
        where value->>'kind' = 'tool' and value->>'title' is not null
        order by sequence desc, event desc, place desc limit 1
      ) as latest_task,
      array(
        select distinct found[1]
        from part, regexp_matches(value->>'text', ${pullRequestPattern}, 'g') as found
        where role = 'assistant' and value->>'kind' = 'text'
        order by 1
      ) as pull_requests
    from own`;
  if (!row) throw new Error("An aggregate without groups has one row.");
  return {
    messages: row.messages,
    toolCalls: row.tool_calls,
    tokens: {
      input: row.input,
      output: row.output,
      reasoning: row.reasoning,
      cacheRead: row.cache_read,
      cacheWrite: row.cache_write,
    },
    cost: row.cost,
    latestTask: row.latest_task,
    pullRequests: row.pull_requests,
  };
};
