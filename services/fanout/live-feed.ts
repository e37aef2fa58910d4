import type { OrganizationId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { liveState, openLiveFeed } from "#event-store/live/live-channel";
import type { Received } from "./frame.ts";

/** Which session a client watches. */
export interface WatchKey {
  readonly organizationId: OrganizationId;
  readonly sessionId: SessionId;
}

/** What the live channel keeps of one session; both 0 when it keeps nothing. */
export interface KeptRange {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** The live channel of one session. */
export interface LiveFeed {
  kept(): Promise<KeptRange>;
  /** What is kept after `after`, then what comes, until the signal is aborted. */
  open(after: number, signal: AbortSignal): AsyncIterable<Received>;
}

export const liveFeedOf = (
  store: EventStore,
  { organizationId, sessionId }: WatchKey,
): LiveFeed => {
  const channel = { organization: organizationId, session: sessionId };
  return {
    kept: () => liveState(store, channel),
    open: (after, signal) => openLiveFeed(store, { ...channel, after, signal }),
  };
};
