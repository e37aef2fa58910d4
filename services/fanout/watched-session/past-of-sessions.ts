import type { Sql } from "postgres";
import { getSession } from "#projections/sessions/queries";
import { readTranscript } from "../../sessions/transcript/read-transcript.ts";
import type { PastOfSession } from "./load-init.ts";

/** The past of sessions, from the read models. */
export const pastOfSessions = (sql: Sql): PastOfSession => ({
  loadTranscript: (organization, session) => readTranscript(sql, organization, session),
  loadStatus: async (organization, id) =>
    (await getSession(sql, { organization, id }))?.status ?? null,
});
