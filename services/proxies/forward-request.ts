import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DomainError } from "#contracts/errors";
import type { Admitted } from "./admit.ts";
import { askUpstream } from "./ask-upstream.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import type { ProxyLimits } from "./limits.ts";
import { redirectFor } from "./redirect.ts";

export interface ForwardRequest {
  readonly admitted: Admitted;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly limits: ProxyLimits;
  /** The client has gone, or the server stops. */
  readonly signal: AbortSignal;
  /** Called right before the answer's head is written; errors are the client's no more after it. */
  readonly onAnswer: () => void;
}

/**
 * Passes a request to the sandbox and its answer to the client, both as they come. Nothing is kept: a slow
 * reader slows the sender down.
 *
 * @throws DomainError as {@link askUpstream}, and `body_too_large`, before the answer's head is written;
 * whatever breaks after it
 */
export const forwardRequest = async (forward: ForwardRequest): Promise<void> => {
  const { admitted, request, response, limits, signal } = forward;
  refuseLongBody(request, limits);
  const upstream = await admitted.findUpstream();
  signal.throwIfAborted();
  const answer = await askUpstream({
    url: upstream.url,
    method: request.method ?? "GET",
    headers: {
      ...requestHeaders(request.headers, upstream.headers),
      // Node frames the bodies of some methods only when it is told to.
      ...(request.headers["transfer-encoding"] && { "transfer-encoding": "chunked" }),
    },
    limits,
    signal,
    send: (asked) => {
      // Whatever breaks here also breaks the request, which tells of it.
      pipeline(request, atMost(limits.maxBodyBytes), asked).catch((error: Error) =>
        asked.destroy(error),
      );
    },
  });
  if (answer.kind === "upgraded") {
    answer.socket.destroy();
    throw new DomainError("proxy_upstream_failed", "The sandbox answers what was not asked.");
  }
  const { statusCode = 502, headers } = answer.response;
  const location =
    headers.location === undefined
      ? null
      : redirectFor(headers.location, {
          base: upstream.base,
          asked: upstream.url,
          prefix: admitted.prefix,
        });
  forward.onAnswer();
  const { location: _location, ...passed } = responseHeaders(headers, admitted.ticket.target);
  response.writeHead(statusCode, { ...passed, ...(location !== null && { location }) });
  // The head of a stream of events must not wait for the first of them.
  response.flushHeaders();
  await pipeline(answer.response, response);
};

const refuseLongBody = ({ headers }: IncomingMessage, { maxBodyBytes }: ProxyLimits): void => {
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
};

/** For bodies that do not say how long they are. */
const atMost = (maxBytes: number): Transform => {
  let size = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      if (size > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
};

const tooLarge = (limit: number): DomainError =>
  new DomainError("body_too_large", "The body is too large for the proxy.", { fields: { limit } });
