/**
 * An origin for each session's editor. VS Code needs storage, cookies and workers, which the browser gives no
 * page without an origin of its own; with the gateway's, whoever has broken into a sandbox could act for the
 * people who look at it. So it has one that is nobody else's: a host name of the session's.
 */
import { createHash } from "node:crypto";
import type { SessionId } from "#contracts/ids";

export interface PageOrigins {
  /** E.g. `https://3f0c….pages.example.com`. */
  of(session: SessionId): string;
  /** Whether a request to this host (and port) is for a page of some session. */
  include(host: string): boolean;
}

/** @param base the URL below whose host those of the sessions are, e.g. `https://pages.example.com` */
export const pageOriginsBelow = (base: string): PageOrigins => {
  const { protocol, host } = new URL(base);
  return {
    of: (session) => `${protocol}//${labelOf(session)}.${host}`,
    include: (asked) => asked.toLowerCase().endsWith(`.${host}`),
  };
};

/** On one's own computer: browsers find every name below localhost by themselves (RFC 6761, 6.3). */
export const pageOriginsHere = (port: number): PageOrigins =>
  pageOriginsBelow(`http://localhost:${port}`);

/** Ids have capitals and underscores, which host names have not. */
const labelOf = (session: SessionId): string =>
  createHash("sha256").update(session).digest("hex").slice(0, 32);
