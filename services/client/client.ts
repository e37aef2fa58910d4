/**
 * Calls the HTTP API. What may be sent and what comes back is typed by the routes of `contracts`,
 * and answers are checked against the same schemas. Runs in browsers, Node and sandboxes.
 */
import { positionHeader } from "#contracts/http/common";
import type { Route } from "#contracts/http/route";
import type { Answer, AnswerBody, CallArguments } from "./call.ts";
import { rememberOwnWrites } from "./own-writes.ts";
import { ProblemError, problemOfAnswer } from "./problem-error.ts";
import { requestUrl } from "./request-url.ts";

export interface ClientOptions {
  /** Scheme, host and port of the gateway; empty in a page that the gateway itself serves. */
  readonly baseUrl: string;
  /** A user's access token or a sandbox's token; a browser's cookie does without. */
  readonly accessToken?: string;
  /** Of another program, in place of a person's or a sandbox's token. */
  readonly serviceToken?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** How long a call may take; 90 s unless told, because an action may take a minute. */
  readonly timeoutMs?: number;
  /** Milliseconds, of a clock that only goes forward; the program's own unless given. */
  readonly now?: () => number;
}

/** A query that follows a command of the same client has the command in its answer. */
export interface Client {
  /** Calls a route and answers its body. @throws ProblemError for everything else. */
  call<R extends Route>(route: R, ...input: CallArguments<R>): Promise<AnswerBody<R>>;
  /** As `call`, with the status and position of the answer. */
  request<R extends Route>(route: R, ...input: CallArguments<R>): Promise<Answer<R>>;
}

export const createClient = (options: ClientOptions): Client => {
  const { baseUrl, timeoutMs = 90_000, now = () => performance.now() } = options;
  const token = options.accessToken ?? options.serviceToken;
  // Looked up on each call: a page's fetch must be called as a method of the window.
  const send = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  const ownWrites = rememberOwnWrites(now);

  const request: Client["request"] = async <R extends Route>(
    route: R,
    ...[input]: CallArguments<R>
  ) => {
    const call: AnyInput = input ?? {};
    const url = requestUrl(baseUrl, route.path, call.params, ownWrites.query(route, call.query));
    const signals = [AbortSignal.timeout(timeoutMs), ...(call.signal ? [call.signal] : [])];
    const { response, text } = await exchange(send, url, {
      method: route.method,
      headers: headersOf(call, token),
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: AbortSignal.any(signals),
    });
    const body = jsonOf(text);
    if (!response.ok) throw problemOfAnswer(response.status, body);
    ownWrites.answered(body);
    return {
      status: response.status,
      body: checked(route, response.status, body),
      position: response.headers.get(positionHeader),
    } as Answer<R>;
  };

  return {
    request,
    call: async (route, ...input) => (await request(route, ...input)).body,
  };
};

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const headersOf = (call: AnyInput, token: string | undefined): Headers => {
  const headers = new Headers({ accept: "application/json" });
  if (call.body !== undefined) headers.set("content-type", "application/json");
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
};

/** Sends and reads to the end. @throws ProblemError, or the reason with which the caller gave up. */
const exchange = async (
  send: (url: string, init: RequestInit) => Promise<Response>,
  url: string,
  init: RequestInit,
): Promise<{ readonly response: Response; readonly text: string }> => {
  try {
    const response = await send(url, init);
    return { response, text: await response.text() };
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError") {
      throw new ProblemError({
        code: "timed_out",
        status: 0,
        detail: "The server took too long to answer.",
        cause: error,
      });
    }
    if (init.signal?.aborted) throw error;
    throw new ProblemError({
      code: "unreachable",
      status: 0,
      detail: "The server cannot be reached.",
      cause: error,
    });
  }
};

/** Undefined for what is not JSON, for instance the error page of a proxy. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not ours, whatever it is; the caller says so with the status that came with it.
    return undefined;
  }
};

const checked = (route: Route, status: number, body: unknown): unknown => {
  const parsed = route.responses[status]?.safeParse(body);
  if (parsed?.success) return parsed.data;
  throw new ProblemError({
    code: "reply_unexpected",
    status,
    detail: `The answer of ${route.method} ${route.path} does not have the expected shape.`,
    cause: parsed?.error,
  });
};
