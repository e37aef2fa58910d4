/** The last list of a server's tools, for as long as it is believed. */
import type { ToolListing } from "./list-tools.ts";

export interface ToolCache {
  /** The list; asked for anew when it is too old. Who asks while it is on its way gets the same. */
  get(): Promise<ToolListing>;
  /** The server says that its list has changed. */
  changed(): void;
}

export interface ToolCacheOptions {
  readonly fetch: () => Promise<ToolListing>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly lifetimeMs?: number;
}

/** Some servers say at each connection that their list has changed: it is believed for so long at least. */
const shortestLifetimeMs = 10_000;

interface Listing {
  readonly answer: Promise<ToolListing>;
  readonly since: number;
  until: number;
}

export const createToolCache = ({
  fetch,
  clock,
  lifetimeMs = 5 * 60_000,
}: ToolCacheOptions): ToolCache => {
  let listing: Listing | null = null;
  return {
    get: async () => {
      if (listing && clock() < listing.until) return listing.answer;
      const now = clock();
      const current: Listing = { answer: fetch(), since: now, until: now + lifetimeMs };
      listing = current;
      try {
        return await current.answer;
      } catch (error) {
        // A failure is not worth remembering.
        if (listing === current) listing = null;
        throw error;
      }
    },
    changed: () => {
      if (listing) listing.until = Math.min(listing.until, listing.since + shortestLifetimeMs);
    },
  };
};
