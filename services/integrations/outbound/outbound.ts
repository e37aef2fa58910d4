/**
 * The way out: every request to an address that somebody has configured goes through here. It reaches
 * allowed addresses only, whatever a name resolves to and wherever it is redirected, and it ends in time
 * and within a size.
 */
import type { Socket } from "node:net";
import { Agent, fetch as undiciFetch } from "undici";
import { DomainError } from "#contracts/errors";
import { addressRules } from "./address-rules.ts";
import { boundedBody } from "./bounded-body.ts";
import { guardedConnector, openGuardedSocket, type ResolveHost } from "./guarded-connector.ts";
import { type OutboundRequest, redirected, refused } from "./redirects.ts";

export interface OutboundLimits {
  /** From the request to the last byte of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Of an answer's body, unpacked, in bytes. */
  readonly maxBodyBytes: number;
}

export interface Outbound {
  /**
   * As the global `fetch`, within these limits or the narrower ones that are given.
   *
   * @throws DomainError `address_forbidden`, `redirect_refused`: nothing was sent then, or nothing but
   * reads. Its body may fail with `response_too_large`. A failed connection is a TypeError, as of `fetch`.
   */
  fetch(url: string | URL, init?: RequestInit, limits?: Partial<OutboundLimits>): Promise<Response>;
  /**
   * A connected socket for another protocol than the web's; the caller's to bound and to close.
   *
   * @throws DomainError `address_forbidden`
   */
  connect(address: { readonly host: string; readonly port: number }): Promise<Socket>;
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** Networks beside the public ones, in CIDR notation. */
  readonly allowedNetworks?: readonly string[];
  readonly limits?: Partial<OutboundLimits>;
  readonly resolveHost?: ResolveHost;
}

const defaultLimits: OutboundLimits = { timeoutMs: 30_000, maxBodyBytes: 5 * 1024 * 1024 };
const connectTimeoutMs = 10_000;
const maxRedirects = 5;

export const createOutbound = ({
  allowedNetworks = [],
  limits: ownLimits,
  resolveHost,
}: OutboundOptions = {}): Outbound => {
  const rules = addressRules(allowedNetworks);
  const guard = { rules, connectTimeoutMs, ...(resolveHost && { resolveHost }) };
  const agent = new Agent({ connect: guardedConnector(guard), connections: 32 });

  const send = async (request: OutboundRequest, signal: AbortSignal): Promise<Response> => {
    const { url, method, headers, body } = request;
    assertWeb(url);
    try {
      const init = { method, headers: [...headers], body, signal, redirect: "manual" };
      // The same standard in two places: the types of undici and of Node's copy of it do not agree.
      const response = await undiciFetch(url, { ...init, dispatcher: agent } as never);
      return response as unknown as Response;
    } catch (error) {
      throw domainCause(error) ?? error;
    }
  };

  return {
    fetch: async (url, init = {}, narrower) => {
      const { timeoutMs, maxBodyBytes } = { ...defaultLimits, ...ownLimits, ...narrower };
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
      let request: OutboundRequest = {
        url: new URL(url),
        method: (init.method ?? "GET").toUpperCase(),
        headers: new Headers(init.headers),
        body: init.body ?? null,
      };
      for (let hops = 0; hops <= maxRedirects; hops += 1) {
        const response = await send(request, signal);
        const next = redirected(request, response);
        if (!next) return boundedBody(response, maxBodyBytes);
        await response.body?.cancel();
        request = next;
      }
      throw refused(`An answer redirected more than ${maxRedirects} times.`);
    },
    connect: (address) => openGuardedSocket(guard, address),
    // Whoever closes waits for nobody: what is under way fails.
    close: () => agent.destroy(),
  };
};

const assertWeb = ({ protocol }: URL): void => {
  if (protocol !== "https:" && protocol !== "http:") {
    throw new DomainError("address_forbidden", "Only addresses of the web can be called.", {
      fields: { protocol },
    });
  }
};

/** `fetch` wraps what went wrong on the connection. */
const domainCause = (error: unknown): DomainError | null => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DomainError) return cause;
  }
  return null;
};
