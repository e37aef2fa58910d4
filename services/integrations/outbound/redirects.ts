/** Which redirects are followed, and with what. Pure. */
import { DomainError } from "#contracts/errors";

export interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: RequestInit["body"];
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** What another host may know of a request; whatever else is in it may be a credential. */
const harmlessHeaders = new Set(["accept", "accept-language", "user-agent"]);

/**
 * The request that a redirect asks for; null when the answer is none. Reads go wherever they are sent,
 * without their credentials if that is another origin. Everything else stays at its origin and keeps its
 * body, so nobody is made to write to a place that was not named.
 *
 * @throws DomainError `redirect_refused`
 */
export const redirected = (
  request: OutboundRequest,
  response: { readonly status: number; readonly headers: { get(name: string): string | null } },
): OutboundRequest | null => {
  const location = response.headers.get("location");
  if (!redirectStatuses.has(response.status) || location === null) return null;
  const url = targetOf(location, request.url);
  const sameOrigin = url.origin === request.url.origin;
  const reads = request.method === "GET" || request.method === "HEAD";
  const repeatable = request.body === null || typeof request.body === "string";
  const keepsBody = response.status === 307 || response.status === 308;
  if (!reads && !(sameOrigin && keepsBody && repeatable)) {
    throw refused("An answer redirected a request that is not only a read.");
  }
  return sameOrigin
    ? { ...request, url }
    : {
        ...request,
        url,
        headers: new Headers([...request.headers].filter(([name]) => harmlessHeaders.has(name))),
      };
};

const targetOf = (location: string, base: URL): URL => {
  if (!URL.canParse(location, base)) throw refused("An answer redirected to what is no address.");
  return new URL(location, base);
};

export const refused = (message: string): DomainError =>
  new DomainError("redirect_refused", message);
