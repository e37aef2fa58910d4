import type { Logger } from "pino";
import type { FanoutLimits } from "../limits.ts";
import type { Listening } from "#event-store/live/owner-requests";
import type { LiveFeed, WatchKey } from "./live-feed.ts";
import type { UserId } from "#contracts/ids";
import type { Attendance, SessionPeople } from "./session-people.ts";
import { WatchedSession } from "./watched-session.ts";

export interface WatchedSessionsOptions {
  readonly openFeed: (key: WatchKey) => LiveFeed;
  /** Lets others know that the session is watched, as long as it is followed. */
  readonly announce: (key: WatchKey) => Listening;
  readonly openPeople: (key: WatchKey) => SessionPeople;
  readonly limits: FanoutLimits;
  readonly log: Logger;
}

/** A client's hold on a session; the session is followed while anybody holds it. */
export interface WatchHold {
  readonly session: WatchedSession;
  readonly attendance: Attendance;
  /** Lets go. Fine to call twice. */
  release(): void;
}

interface Entry {
  readonly session: WatchedSession;
  readonly presence: Listening;
  readonly people: SessionPeople;
  holds: number;
  grace: NodeJS.Timeout | null;
}

/** The sessions that this instance follows, each once. */
export class WatchedSessions {
  readonly #options: WatchedSessionsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Set<Promise<void>>();
  #opened = 0;

  constructor(options: WatchedSessionsOptions) {
    this.#options = options;
  }

  /** How many are followed now. */
  get size(): number {
    return this.#entries.size;
  }

  /** How many were begun to be followed since the start. */
  get opened(): number {
    return this.#opened;
  }

  /** @param userId who holds it */
  hold(key: WatchKey, userId: UserId): WatchHold {
    const name = `${key.organizationId}/${key.sessionId}`;
    const entry = this.#entries.get(name) ?? this.#open(name, key);
    if (entry.grace) clearTimeout(entry.grace);
    entry.grace = null;
    entry.holds += 1;
    let held = true;
    const attendance = entry.people.enter(userId);
    return {
      session: entry.session,
      attendance,
      release: () => {
        if (!held) return;
        held = false;
        attendance.leave();
        entry.holds -= 1;
        if (entry.holds === 0) this.#closeLater(name, entry);
      },
    };
  }

  /** Looks at every channel anew: the connection to NATS was lost and is back. */
  reopenAll(): void {
    for (const { session } of this.#entries.values()) session.reopen();
  }

  async close(): Promise<void> {
    for (const [name, entry] of [...this.#entries]) this.#close(name, entry);
    await Promise.all(this.#closing);
  }

  #open(name: string, key: WatchKey): Entry {
    const { openFeed, openPeople, announce, limits, log } = this.#options;
    const session = new WatchedSession({ feed: openFeed(key), limits, log: log.child({ ...key }) });
    const presence = announce(key);
    const people = openPeople(key);
    const entry: Entry = { session, presence, people, holds: 0, grace: null };
    this.#entries.set(name, entry);
    this.#opened += 1;
    return entry;
  }

  /** A page that is reloaded comes back at once, and finds what it missed. */
  #closeLater(name: string, entry: Entry): void {
    if (this.#entries.get(name) !== entry) return;
    entry.grace = setTimeout(() => {
      this.#close(name, entry);
    }, this.#options.limits.graceMs);
  }

  #close(name: string, entry: Entry): void {
    if (entry.grace) clearTimeout(entry.grace);
    this.#entries.delete(name);
    entry.presence.stop();
    entry.people.close();
    const closing = entry.session.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
