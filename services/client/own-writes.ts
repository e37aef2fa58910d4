/**
 * "Read your writes", for one client: a query after a command waits until the read model includes the
 * command (`?after=`). One of the session guarantees of Terry et al. (1994); of the others none is given.
 */
import type { Route } from "#contracts/http/route";

export interface OwnWrites {
  /** The query to send: with the position of the newest command, unless the caller asks for another. */
  query(route: Route, query: Query | undefined): Query | undefined;
  /** Remembers the position that a command was answered with. Answers without one change nothing. */
  answered(body: unknown): void;
}

type Query = Readonly<Record<string, unknown>>;

/**
 * For how long queries ask for a command. Read models are milliseconds behind; when one is stuck, this
 * ends the waiting of every query.
 */
const followForMs = 10_000;

/** @param now milliseconds, of a clock that only goes forward */
export const rememberOwnWrites = (now: () => number): OwnWrites => {
  let newest: { readonly position: string; readonly at: number } | null = null;
  return {
    query: (route, query) => {
      // Who signs in may be somebody else, in whose organisation the position means nothing.
      if (route.audience === "public") newest = null;
      const takesPosition = route.query !== undefined && "after" in route.query.shape;
      if (!takesPosition || newest === null || now() - newest.at >= followForMs) return query;
      return { ...query, after: query?.["after"] ?? newest.position };
    },
    answered: (body) => {
      const position = positionOf(body);
      if (position !== null) newest = { position, at: now() };
    },
  };
};

const positionOf = (body: unknown): string | null =>
  typeof body === "object" &&
  body !== null &&
  "position" in body &&
  typeof body.position === "string"
    ? body.position
    : null;
