import { randomUUID } from "node:crypto";
import type { EventStore } from "#event-store/event-store";
import { openPeopleChannel } from "#event-store/live/people-channel";
import { announceWatched } from "#event-store/live/watch-presence";
import { liveFeedOf } from "./live-feed.ts";
import { SessionPeople } from "./session-people.ts";
import { WatchedSessions, type WatchedSessionsOptions } from "./watched-sessions.ts";

/** The sessions that a tier of the live channel follows on this event store, and who is in them. */
export const watchSessionsOf = (
  store: EventStore,
  options: Pick<WatchedSessionsOptions, "limits" | "log">,
): WatchedSessions => {
  const instance = randomUUID();
  return new WatchedSessions({
    ...options,
    openFeed: (key) => liveFeedOf(store, key),
    announce: ({ sessionId }) => announceWatched(store, sessionId),
    openPeople: ({ sessionId }) =>
      new SessionPeople({
        instance,
        openChannel: (hear) => openPeopleChannel(store, sessionId, hear),
        now: () => performance.now(),
      }),
  });
};
