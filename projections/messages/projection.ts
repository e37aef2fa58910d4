/** One row per message; a message that is recorded again keeps its place and its time. */
import { erasedParts } from "#contracts/erasure/markers";
import type { TranscriptEvent } from "#contracts/transcript/events";
import type { Queryable } from "../database.ts";
import { erasedFailure } from "../erased-failure.ts";
import type { ProjectedCommit } from "../runtime/projected-commit.ts";
import type { Projection } from "../runtime/projection.ts";
import { columnsOf, rowOf, upserted } from "../runtime/table.ts";
import { type MessageRow, messagesTable } from "./table.ts";

const keyOf = ({ organization_id, session_id, id }: MessageRow): string =>
  `${organization_id}/${session_id}/${id}`;

/** The messages of a batch: each with its first place, and its newest content. */
const rowsOf = (
  batch: readonly ProjectedCommit[],
  before: readonly MessageRow[],
): readonly MessageRow[] => {
  const rows = new Map(before.map((row) => [keyOf(row), row]));
  for (const commit of batch) {
    for (const [index, event] of commit.events.entries()) {
      if (event.type === "MessageRecorded") {
        const row = messageRow(commit, index, event.data);
        const known = rows.get(keyOf(row));
        rows.set(
          keyOf(row),
          known ? { ...row, sequence: known.sequence, event: known.event, at: known.at } : row,
        );
      } else if (event.type === "TextErased" && commit.ref.aggregate === "transcript") {
        for (const [key, row] of rows) {
          if (isOf(row, commit)) rows.set(key, erased(row));
        }
      }
    }
  }
  return [...rows.values()];
};

type Recorded = Extract<TranscriptEvent, { type: "MessageRecorded" }>["data"];

const messageRow = (
  { ref, sequence, meta }: ProjectedCommit,
  event: number,
  { message, author }: Recorded,
): MessageRow => ({
  organization_id: ref.organization,
  session_id: ref.id, // a session's transcript has the session's id
  id: message.id,
  sequence,
  event,
  role: message.role,
  prompt_id: message.promptId,
  author,
  parts: message.parts,
  finish: message.finish,
  failure: message.failure,
  usage: message.usage,
  cost: message.cost,
  files_changed: message.filesChanged,
  at: meta.at,
});

const isOf = (row: MessageRow, { ref }: ProjectedCommit): boolean =>
  row.session_id === ref.id && row.organization_id === ref.organization;

const erased = (row: MessageRow): MessageRow => ({
  ...row,
  parts: [...erasedParts],
  failure: erasedFailure(row.failure),
  files_changed: row.files_changed && { ...row.files_changed, files: [] },
});

/** What is stored of the transcripts that are erased in a batch. */
const rowsToErase = async (
  batch: readonly ProjectedCommit[],
  sql: Queryable,
): Promise<readonly MessageRow[]> => {
  const found: MessageRow[] = [];
  for (const { ref, events } of batch) {
    if (ref.aggregate !== "transcript" || !events.some(({ type }) => type === "TextErased")) {
      continue;
    }
    const rows = await sql`
      select ${sql(columnsOf(messagesTable))} from messages
      where organization_id = ${ref.organization} and session_id = ${ref.id}`;
    found.push(...rows.map((row) => rowOf(messagesTable, row)));
  }
  return found;
};

export const messagesProjection: Projection = {
  name: "messages",
  version: 3,
  schema: new URL("./schema.sql", import.meta.url),
  tables: [messagesTable],
  project: async (batch, sql) =>
    upserted(messagesTable, rowsOf(batch, await rowsToErase(batch, sql))),
};
