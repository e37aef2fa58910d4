/** Lets a request in by the ticket in its path, and finds what it is for. */
import { DomainError } from "#contracts/errors";
import { idSchema } from "#contracts/ids";
import type { ProxyTicket } from "../identity/signed-tokens.ts";
import type { FindEndpoints } from "./find-endpoints.ts";
import { type Upstream, upstreamOf } from "./upstream.ts";

export interface AdmitDeps {
  /** @throws DomainError `token_expired`, `unauthenticated` */
  readonly verifyTicket: (ticket: string) => Promise<ProxyTicket>;
  readonly findEndpoints: FindEndpoints;
  /** The bearer token of a session's sidecar. */
  readonly sidecarToken: (ticket: ProxyTicket) => string;
}

export interface ProxyRequest {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly url: string;
  readonly upgrade: boolean;
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
  { verifyTicket, findEndpoints, sidecarToken }: AdmitDeps,
  { method, url, upgrade }: ProxyRequest,
): Promise<Admitted> => {
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
  return {
    ticket,
    prefix: `${proxyPath}/${session}/${token}/${ticket.target}`,
    findUpstream: async () =>
      upstreamOf(ticket.target, rest, {
        endpoints: await findEndpoints(ticket),
        sidecarToken: sidecarToken(ticket),
      }),
  };
};

const nothing = (): DomainError => new DomainError("not_found", "There is nothing here.");
