/** Lets a request in by the ticket in its path, and finds what it is for. */
import { DomainError } from "#contracts/errors";
import { idSchema } from "#contracts/ids";
import type { ProxyTicket } from "../identity/signed-tokens.ts";
import type { FindEndpoints } from "./find-endpoints.ts";
import type { PageOrigins } from "./page-origins.ts";
import { type Upstream, upstreamOf } from "./upstream.ts";

export interface AdmitDeps {
  /** @throws DomainError `token_expired`, `unauthenticated` */
  readonly verifyTicket: (ticket: string) => Promise<ProxyTicket>;
  readonly findEndpoints: FindEndpoints;
  /** The bearer token of a session's sidecar. */
  readonly sidecarToken: (ticket: ProxyTicket) => string;
  /** Null where sandboxes have no origins for their pages. */
  readonly pages: () => PageOrigins | null;
  /**
   * Asked about tickets that are good for hours.
   * @throws DomainError when their person may not do what they open any more
   */
  readonly requireStanding: (ticket: ProxyTicket) => Promise<void>;
}

export interface ProxyRequest {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly url: string;
  readonly upgrade: boolean;
  /** The headers of these names; a program sends no origin. */
  readonly host: string;
  readonly origin: string | undefined;
}

export interface Admitted {
  readonly ticket: ProxyTicket;
  /** The path that stands for the target's own root, without a slash at the end. */
  readonly prefix: string;
  /** Asked for late: a sandbox may have to be brought up. */
  readonly findUpstream: () => Promise<Upstream>;
}

/** The path below which everything is proxied. */
export const proxyPath = "/proxy";

const addressPattern = /^\/proxy\/([^/?]+)\/([^/?]+)\/([^/?]+)(\/[^#]*)$/;
const readMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** @throws DomainError `not_found`, `unauthenticated`, `token_expired`, `session_not_found`, `forbidden` */
export const admit = async (
  { verifyTicket, findEndpoints, sidecarToken, pages, requireStanding }: AdmitDeps,
  request: ProxyRequest,
): Promise<Admitted> => {
  const { method, url, upgrade, host } = request;
  const [, session, token, target, rest] = addressPattern.exec(url) ?? [];
  if (session === undefined || token === undefined || rest === undefined) throw nothing();
  const ticket = await verifyTicket(token);
  if (!idSchema("session").safeParse(session).success || ticket.sessionId !== session) {
    throw new DomainError("session_not_found", "The ticket is not for this session.");
  }
  if (ticket.target !== target) {
    throw new DomainError("forbidden", "The ticket opens something else of the sandbox.");
  }
  if (ticket.access === "read" && (upgrade || !readMethods.has(method))) {
    throw new DomainError("forbidden", "The ticket is for reading only.");
  }
  requireOrigin(pages(), ticket, request);
  if (ticket.target === "vscode") await requireStanding(ticket);
  const prefix = `${proxyPath}/${session}/${token}/${ticket.target}`;
  return {
    ticket,
    prefix,
    findUpstream: async () =>
      upstreamOf(ticket.target, rest, {
        endpoints: await findEndpoints(ticket),
        sidecarToken: sidecarToken(ticket),
        reachedAt: { host, prefix },
      }),
  };
};

/** An editor's pages have an origin to themselves, and nothing else is there. */
const requireOrigin = (
  pages: PageOrigins | null,
  { target, sessionId }: ProxyTicket,
  { host, origin, upgrade }: ProxyRequest,
): void => {
  if (target !== "vscode") {
    if (pages?.include(host) === true) throw nothing();
    return;
  }
  const own = pages?.of(sessionId);
  if (own === undefined || new URL(own).host !== host.toLowerCase()) {
    throw new DomainError("forbidden", "This is opened at an origin of its own only.");
  }
  if (upgrade && origin !== undefined && origin !== own) {
    throw new DomainError("forbidden", "This page may not open a WebSocket here.");
  }
};

const nothing = (): DomainError => new DomainError("not_found", "There is nothing here.");
