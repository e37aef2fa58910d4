import { DomainError } from "#contracts/errors";
import type { SessionId } from "#contracts/ids";

/** What goes on through the proxies: bounded per session, and ended with the server. */
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

export const openConnections = (maxPerSession: number): Connections => {
  const open = new Map<SessionId, Set<() => void>>();
  return {
    open: (session, end) => {
      const own = open.get(session) ?? new Set();
      if (own.size >= maxPerSession) {
        throw new DomainError(
          "too_many_proxy_connections",
          "Too much goes on with this sandbox at once. Try again.",
          { fields: { limit: maxPerSession } },
        );
      }
      open.set(session, own);
      // A function of its own for each, or the same one given twice would count once.
      const entry = (): void => end();
      own.add(entry);
      return () => {
        own.delete(entry);
        if (own.size === 0 && open.get(session) === own) open.delete(session);
      };
    },
    endAll: () => {
      for (const ends of [...open.values()]) for (const end of [...ends]) end();
    },
  };
};
