/** One row per message; a message that is recorded again keeps its place and its time. */
import type { ProjectedCommit } from "../runtime/projected-commit.ts";
import type { Projection } from "../runtime/projection.ts";
import { upserted } from "../runtime/table.ts";
import { type MessageRow, messagesTable } from "./table.ts";

/** The messages of a batch: each with its first place, and its newest content. */
const rowsOf = (batch: readonly ProjectedCommit[]): readonly MessageRow[] => {
  const rows = new Map<string, MessageRow>();
  for (const { ref, sequence, events, meta } of batch) {
    for (const [index, event] of events.entries()) {
      if (event.type !== "MessageRecorded") continue;
      const { id, role, promptId, parts, finish, failure, usage, cost } = event.data.message;
      const key = `${ref.organization}/${ref.id}/${id}`;
      const before = rows.get(key);
      rows.set(key, {
        organization_id: ref.organization,
        session_id: ref.id, // a session's transcript has the session's id
        id,
        sequence: before?.sequence ?? sequence,
        event: before?.event ?? index,
        role,
        prompt_id: promptId,
        parts,
        finish,
        failure,
        usage,
        cost,
        at: before?.at ?? meta.at,
      });
    }
  }
  return [...rows.values()];
};

export const messagesProjection: Projection = {
  name: "messages",
  version: 1,
  schema: new URL("./schema.sql", import.meta.url),
  tables: [messagesTable],
  project: (batch) => Promise.resolve(upserted(messagesTable, rowsOf(batch))),
};
