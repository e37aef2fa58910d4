import type { Author } from "#contracts/transcript/author";
import type { MessageView } from "#contracts/transcript/view";
import type { Queryable } from "../database.ts";
import { columnsOf, rowOf } from "../runtime/table.ts";
import { type MessageRow, messagesTable } from "./table.ts";

/** With its author as the log knows them: by their id. */
export type StoredMessage = Omit<MessageView, "author"> & { readonly author: Author | null };

const storedOf = (row: MessageRow, index: number): StoredMessage => ({
  id: row.id,
  role: row.role,
  promptId: row.prompt_id,
  author: row.author,
  parts: row.parts,
  finish: row.finish,
  failure: row.failure,
  usage: row.usage,
  cost: row.cost,
  filesChanged: row.files_changed,
  index,
  at: row.at,
});

/** The transcript of one of the organisation's sessions, oldest first; empty for a session it has not. */
export const listMessages = async (
  sql: Queryable,
  { organization, session }: { readonly organization: string; readonly session: string },
): Promise<StoredMessage[]> => {
  const rows = await sql`
    select ${sql(columnsOf(messagesTable))} from messages
    where organization_id = ${organization} and session_id = ${session}
    order by sequence, event`;
  return rows.map((row, index) => storedOf(rowOf(messagesTable, row), index));
};
