/** What has been said on a session's live channel, also what nobody was told. */
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { EventStore } from "#event-store/event-store";
import { type LiveEntry, liveState, openLiveFeed } from "#event-store/live/live-channel";

export const readLive = async (
  store: EventStore,
  key: { readonly organization: OrganizationId; readonly session: SessionId },
): Promise<readonly LiveEntry[]> => {
  const { lastSeq } = await liveState(store, key);
  if (lastSeq === 0) return [];
  const enough = new AbortController();
  const entries: LiveEntry[] = [];
  for await (const entry of openLiveFeed(store, { ...key, signal: enough.signal })) {
    if (entry.seq <= lastSeq) entries.push(entry);
    if (entry.seq >= lastSeq) enough.abort();
  }
  return entries;
};
