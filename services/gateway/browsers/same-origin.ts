/**
 * Requests that other sites make a browser send. `SameSite=Strict` keeps the cookie out of them; this is
 * the second barrier, for subdomains of the same site and for browsers that know better.
 */
import type { IncomingHttpHeaders } from "node:http";
import { DomainError } from "#contracts/errors";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

export interface BrowserRequest {
  readonly method: string;
  /** Host and port that the request was sent to. */
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
}

/** Refuses what a page of another origin sent; anything that is no browser's passes. @throws DomainError `forbidden` */
export const refuseForeignPage = (request: BrowserRequest): void => {
  if (originOf(request) === "foreign") throw foreign();
};

/** Refuses what was not sent by our own page for sure. @throws DomainError `forbidden` */
export const requireOwnPage = (request: BrowserRequest): void => {
  if (originOf(request) !== "own") throw foreign();
};

const originOf = ({ method, host, headers }: BrowserRequest): "own" | "foreign" | "unknown" => {
  if (safeMethods.has(method)) return "own";
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" ? "own" : "foreign";
  const { origin } = headers;
  if (origin === undefined) return "unknown";
  return URL.canParse(origin) && new URL(origin).host === host ? "own" : "foreign";
};

const foreign = (): DomainError =>
  new DomainError("forbidden", "This request does not come from a page of this server.");
