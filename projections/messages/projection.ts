/** One row per message; a message that is recorded again keeps its place and its time. */
import type { Message } from "#contracts/transcript/message";
import type { Queryable } from "../database.ts";
import type { ProjectedCommit } from "../runtime/projected-commit.ts";
import type { Projection } from "../runtime/projection.ts";
import { loadRows, type TableWrite, upserted } from "../runtime/table.ts";
import { type MessageRow, messagesTable } from "./table.ts";

type MessageKey = Pick<MessageRow, "organization_id" | "session_id" | "id">;

interface RecordedMessage {
  readonly key: MessageKey;
  readonly message: Message;
  readonly at: string;
}

/** The messages of a batch, by key, in the order of their first arrival; the newest content counts. */
const messagesOf = (batch: readonly ProjectedCommit[]): Map<string, RecordedMessage> => {
  const recorded = new Map<string, RecordedMessage>();
  for (const { ref, events, meta } of batch) {
    for (const event of events) {
      if (event.type !== "MessageRecorded") continue;
      const { message } = event.data;
      // a session's transcript has the session's id
      const key = { organization_id: ref.organization, session_id: ref.id, id: message.id };
      const name = nameOf(key);
      recorded.set(name, { key, message, at: recorded.get(name)?.at ?? meta.at });
    }
  }
  return recorded;
};

/** The index that the next new message of each of these sessions gets. */
const nextIndexes = async (
  sql: Queryable,
  keys: readonly MessageKey[],
): Promise<Map<string, number>> => {
  const sessions = new Map(keys.map((key) => [sessionOf(key), key]));
  const rows = await sql<{ organization_id: string; session_id: string; next: number }[]>`
    select s.organization_id, s.session_id, coalesce(newest.index + 1, 0) as next
    from jsonb_to_recordset(${JSON.stringify([...sessions.values()])}::text::jsonb)
      as s(organization_id text, session_id text)
    left join lateral (
      select m.index from messages m
      where m.organization_id = s.organization_id and m.session_id = s.session_id
      order by m.index desc limit 1
    ) newest on true`;
  return new Map(rows.map((row) => [sessionOf(row), row.next]));
};

const project = async (
  batch: readonly ProjectedCommit[],
  sql: Queryable,
): Promise<readonly TableWrite[]> => {
  const recorded = messagesOf(batch);
  if (recorded.size === 0) return [];
  const keys = [...recorded.values()].map(({ key }) => key);
  const [rowsBefore, indexes] = await Promise.all([
    loadRows(sql, messagesTable, keys),
    nextIndexes(sql, keys),
  ]);
  const known = new Map(rowsBefore.map((row) => [nameOf(row), row]));

  const rows: MessageRow[] = [];
  for (const [name, { key, message, at }] of recorded) {
    const before = known.get(name);
    const next = indexes.get(sessionOf(key)) ?? 0;
    if (before === undefined) indexes.set(sessionOf(key), next + 1);
    const { role, promptId, parts, finish, failure, usage, cost } = message;
    rows.push({
      ...key,
      index: before?.index ?? next,
      role,
      prompt_id: promptId,
      parts,
      finish,
      failure,
      usage,
      cost,
      at: before?.at ?? at,
    });
  }
  return [upserted(messagesTable, rows)];
};

const sessionOf = (key: Pick<MessageKey, "organization_id" | "session_id">): string =>
  `${key.organization_id}/${key.session_id}`;
const nameOf = (key: MessageKey): string => `${sessionOf(key)}/${key.id}`;

export const messagesProjection: Projection = {
  name: "messages",
  version: 1,
  schema: new URL("./schema.sql", import.meta.url),
  tables: [messagesTable],
  project,
};
