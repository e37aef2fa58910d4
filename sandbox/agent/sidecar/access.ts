/** Who may use the sidecar. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { DomainError } from "#contracts/errors";

export interface Access {
  /** @throws DomainError `unauthenticated` unless the request carries the token */
  requireToken(headers: IncomingHttpHeaders): void;
  /** @throws DomainError `forbidden` for a page that may not open WebSockets here */
  requireOrigin(headers: IncomingHttpHeaders): void;
}

export interface AccessOptions {
  /** Null: nobody gets in. */
  readonly token: string | null;
  /** E.g. `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
}

export const openAccess = ({ token, allowedOrigins }: AccessOptions): Access => ({
  requireToken: ({ authorization }) => {
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === null) {
      throw new DomainError("unauthenticated", "The sidecar has no token, so it lets nobody in.");
    }
    if (given === undefined || !isSame(given, token)) {
      throw new DomainError("unauthenticated", "The bearer token is missing or wrong.");
    }
  },
  // Programs send no origin. The preview's own pages have one like any other: what the agent builds is not
  // to reach its terminal, so being on the same host is not enough.
  requireOrigin: ({ origin }) => {
    if (origin === undefined || allowedOrigins.includes(origin)) return;
    throw new DomainError("forbidden", "This page may not open a terminal.");
  },
});

/** In constant time: equally long hashes are compared, not the texts. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
