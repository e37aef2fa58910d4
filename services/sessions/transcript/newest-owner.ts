import { z } from "zod";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { readLastCommit } from "#event-store/reading/last-commit";

/** Whatever an owner does to a transcript names it, and no owner speaks before it has claimed the transcript. */
const byOwnerSchema = z.object({ epoch: z.int().positive() });

/**
 * The epoch of a session's newest owner as the log has it; 0 before the first, and where the transcript has been
 * erased. One read, whatever the session's length.
 *
 * @throws DomainError `log_unavailable`
 */
export const newestOwnerEpoch = async (
  store: EventStore,
  { organization, session }: { readonly organization: OrganizationId; readonly session: SessionId },
): Promise<number> => {
  const newest = await readLastCommit(store, {
    organization,
    aggregate: "transcript",
    id: session,
  });
  const last = newest?.commit.events.at(-1);
  return byOwnerSchema.safeParse(last?.data).data?.epoch ?? 0;
};
