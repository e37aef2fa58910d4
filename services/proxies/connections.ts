import { DomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";

/** What goes on through the proxies: bounded per session, announced, and ended with the server. */
export interface Connections {
  /**
   * Counts something in.
   * @param end ends it when the server stops
   * @returns counts it out; fine to call twice
   * @throws DomainError `too_many_proxy_connections`
   */
  open(session: SessionId, end: () => void): () => void;
  endAll(): void;
}

export interface ConnectionsOptions {
  readonly maxPerSession: number;
  /** Says that the session's sandbox is in use here, until it is stopped. */
  readonly announce: (session: SessionId) => { stop(): void };
}

interface OpenHere {
  readonly ends: Set<() => void>;
  readonly announced: { stop(): void };
}

export const openConnections = ({ maxPerSession, announce }: ConnectionsOptions): Connections => {
  const open = new Map<SessionId, OpenHere>();
  return {
    open: (session, end) => {
      const own = open.get(session) ?? { ends: new Set(), announced: announce(session) };
      if (own.ends.size >= maxPerSession) {
        throw new DomainError(
          "too_many_proxy_connections",
          "Too much goes on with this sandbox at once. Try again.",
          { fields: { limit: maxPerSession } },
        );
      }
      open.set(session, own);
      // A function of its own for each, or the same one given twice would count once.
      const entry = (): void => end();
      own.ends.add(entry);
      return () => {
        own.ends.delete(entry);
        if (own.ends.size > 0 || open.get(session) !== own) return;
        open.delete(session);
        own.announced.stop();
      };
    },
    endAll: () => {
      for (const { ends } of [...open.values()]) for (const end of [...ends]) end();
    },
  };
};
