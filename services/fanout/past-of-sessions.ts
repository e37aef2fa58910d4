import type { Sql } from "postgres";
import { listMessages } from "#projections/messages/queries";
import { getSession } from "#projections/sessions/queries";
import type { PastOfSession } from "./load-init.ts";

/** The past of sessions, from the read models. */
export const pastOfSessions = (sql: Sql): PastOfSession => ({
  loadTranscript: (organization, session) => listMessages(sql, { organization, session }),
  loadStatus: async (organization, id) =>
    (await getSession(sql, { organization, id }))?.status ?? null,
});
