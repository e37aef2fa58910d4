import type { Sql } from "postgres";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { MessageView } from "#contracts/transcript/view";
import { listMessages } from "#projections/messages/queries";
import { nameAuthors } from "../../identity/name-authors.ts";

/** A session's transcript as people see it, oldest first; empty for a session that the organisation has not. */
export const readTranscript = async (
  sql: Sql,
  organization: OrganizationId,
  session: SessionId,
): Promise<MessageView[]> =>
  nameAuthors(sql, organization, await listMessages(sql, { organization, session }));
