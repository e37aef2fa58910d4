import type { OrganizationId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { type LiveEntry, liveState, openLiveFeed } from "#event-store/live/live-channel";
import { type NewestRecord, newestRecord } from "../../sessions/transcript/newest-record.ts";

/** Which session a client watches. */
export interface WatchKey {
  readonly organizationId: OrganizationId;
  readonly sessionId: SessionId;
}

/**
 * What the live channel keeps of one session; `firstSeq` and `lastSeq` are 0 when it keeps nothing. And what had
 * been recorded, and by whom, before anything was said after `lastSeq`.
 */
export interface KeptRange extends NewestRecord {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** The live channel of one session. */
export interface LiveFeed {
  kept(): Promise<KeptRange>;
  /** What is kept after `after`, then what comes, until the signal is aborted. */
  open(after: number, signal: AbortSignal): AsyncIterable<LiveEntry>;
}

export const liveFeedOf = (
  store: EventStore,
  { organizationId, sessionId }: WatchKey,
): LiveFeed => {
  const channel = { organization: organizationId, session: sessionId };
  return {
    kept: async () => {
      // In this order: what comes after the range then comes after that owner's beginning, too.
      const newest = await newestRecord(store, channel);
      return { ...(await liveState(store, channel)), ...newest };
    },
    open: (after, signal) => openLiveFeed(store, { ...channel, after, signal }),
  };
};
