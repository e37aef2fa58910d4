import { z } from "zod";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { Position } from "#contracts/position";
import type { EventStore } from "#event-store/event-store";
import { readLastCommit } from "#event-store/reading/last-commit";

/** Whatever an owner does to a transcript names it, and no owner speaks before it has claimed the transcript. */
const byOwnerSchema = z.object({ epoch: z.int().positive() });

export interface NewestRecord {
  /** The epoch of the session's newest owner; 0 before the first, and where the transcript has been erased. */
  readonly ownerEpoch: number;
  /** Up to where the transcript is recorded; null before its first commit. */
  readonly recorded: Position | null;
}

/**
 * What the log says last of a session's transcript. One read, whatever the session's length.
 *
 * @throws DomainError `log_unavailable`
 */
export const newestRecord = async (
  store: EventStore,
  { organization, session }: { readonly organization: OrganizationId; readonly session: SessionId },
): Promise<NewestRecord> => {
  const newest = await readLastCommit(store, {
    organization,
    aggregate: "transcript",
    id: session,
  });
  const last = newest?.commit.events.at(-1);
  return {
    ownerEpoch: byOwnerSchema.safeParse(last?.data).data?.epoch ?? 0,
    recorded: newest?.position ?? null,
  };
};
