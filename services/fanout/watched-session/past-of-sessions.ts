import type { Sql } from "postgres";
import { getSession } from "#projections/sessions/queries";
import type { Progress } from "#projections/wait-for-position";
import { readTranscript } from "../../sessions/transcript/read-transcript.ts";
import type { PastOfSession } from "./load-init.ts";

/** The past of sessions, from the read models. */
export const pastOfSessions = (sql: Sql, progress: Progress): PastOfSession => ({
  loadTranscript: async (organization, session, recorded) => {
    if (recorded !== null) await progress.waitForPosition(recorded, { models: ["messages"] });
    return readTranscript(sql, organization, session);
  },
  loadStatus: async (organization, id) =>
    (await getSession(sql, { organization, id }))?.status ?? null,
});
