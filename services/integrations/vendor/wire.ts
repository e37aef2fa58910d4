/** The requests of one action: in bounds, repeated where that is harmless, and with failures explained. */
import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import type { Outbound } from "../outbound/outbound.ts";
import { type Exchange, refusalOf, unanswered } from "./vendor-failure.ts";

/** As the global `fetch`, with an address as text or URL. */
export type VendorFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Wire {
  /** Answers what succeeded; throws what {@link Wire.explain} would say of anything else. */
  readonly fetch: VendorFetch;
  /**
   * What a failure means. Vendors' SDKs wrap what `fetch` throws each in its own way, so the last failure
   * is remembered here.
   */
  explain(error: unknown): unknown;
}

export interface WireOptions extends Exchange {
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
  /** Waits so many milliseconds. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const maxAttempts = 3;
/** Longer than this the agent had better hear of it. */
const longestWaitMs = 10_000;
const firstWaitMs = 250;
const maxDetailLength = 2_000;

export const openWire = ({
  outbound,
  signal,
  wait = (ms) => sleep(ms, undefined, { signal }),
  ...exchange
}: WireOptions): Wire => {
  let failure: Error | null = null;

  const attempt = async (
    url: string | URL,
    init: RequestInit | undefined,
  ): Promise<Response | Failed> => {
    let response: Response;
    try {
      response = await outbound.fetch(url, { ...init, signal });
    } catch (error) {
      return { error: explained(exchange, error), retryAfterMs: null, transient: exchange.reads };
    }
    return response.ok ? withExplainedBody(response) : failedWith(exchange, response);
  };

  /** A body may break off long after its status. */
  const withExplainedBody = async (response: Response): Promise<Response | Failed> => {
    const { status, statusText, headers, url } = response;
    try {
      const bytes = await response.arrayBuffer();
      const whole = new Response(bytes.byteLength === 0 ? null : bytes, {
        status,
        statusText,
        headers,
      });
      Object.defineProperty(whole, "url", { value: url });
      return whole;
    } catch (error) {
      return { error: explained(exchange, error), retryAfterMs: null, transient: false };
    }
  };

  return {
    fetch: async (url, init) => {
      for (let tried = 1; ; tried += 1) {
        const outcome = await attempt(url, init);
        if (outcome instanceof Response) return outcome;
        const { error, retryAfterMs, transient } = outcome;
        const waitMs = retryAfterMs ?? (transient ? firstWaitMs * 2 ** tried : null);
        const again = waitMs !== null && waitMs <= longestWaitMs && tried < maxAttempts;
        if (!again || signal.aborted) {
          failure = error;
          throw error;
        }
        await wait(waitMs, signal);
      }
    },
    explain: (error) => failure ?? error,
  };
};

interface Failed {
  readonly error: Error;
  /** When the vendor wants to be asked again, whatever was asked: it has done nothing. */
  readonly retryAfterMs: number | null;
  /** Whether another attempt does no harm and may help. */
  readonly transient: boolean;
}

const failedWith = async (exchange: Exchange, response: Response): Promise<Failed> => {
  const { status } = response;
  const retryAfterSeconds = retryAfterOf(response.headers);
  // What it says is for people; that it could not be read changes nothing.
  const detail = await response.text().catch(() => "");
  return {
    error: refusalOf(exchange, {
      status,
      retryAfterSeconds,
      detail: detail.slice(0, maxDetailLength),
    }),
    retryAfterMs: status === 429 && retryAfterSeconds !== null ? retryAfterSeconds * 1000 : null,
    transient: exchange.reads && status >= 500,
  };
};

/** Of RFC 9110, section 10.2.3, in seconds; a date counts from the answer's own. */
const retryAfterOf = (headers: Headers): number | null => {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const seconds = (Date.parse(text) - Date.parse(headers.get("date") ?? "")) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
};

/** Certain are those failures that come before anything was asked. */
const certain: ReadonlySet<string> = new Set(["address_forbidden", "redirect_refused"]);
const neverConnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const explained = (exchange: Exchange, error: unknown): Error => {
  if (error instanceof DomainError && (exchange.reads || certain.has(error.code))) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return unanswered({ ...exchange, reads: exchange.reads || neverConnected.has(code) }, error);
};
