import { STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DomainError } from "#contracts/errors";
import { type Problem, problemContentType, problemOf } from "#contracts/problem";
import type { Admitted } from "./admit.ts";
import { askUpstream } from "./ask-upstream.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import type { ProxyLimits } from "./limits.ts";

export interface ForwardUpgrade {
  readonly admitted: Admitted;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent right behind its request. */
  readonly head: Buffer;
  readonly limits: ProxyLimits;
  readonly signal: AbortSignal;
  /** Called right before the answer's head is written. */
  readonly onAnswer: () => void;
}

/**
 * Passes the opening of a WebSocket on, and then the bytes of both sides unread: the two ends settle
 * extensions and protocols among themselves. Resolves when both sides are closed.
 *
 * @throws DomainError before the answer's head is written; whatever breaks the connection after it
 */
export const forwardUpgrade = async (forward: ForwardUpgrade): Promise<void> => {
  const { admitted, request, socket, head, limits, signal } = forward;
  const upstream = await admitted.findUpstream();
  signal.throwIfAborted();
  // What follows are frames: a length would have some of them read as a body.
  const { "content-length": _length, ...headers } = requestHeaders(
    request.headers,
    upstream.headers,
  );
  const answer = await askUpstream({
    url: upstream.url,
    method: "GET",
    headers: {
      ...headers,
      connection: "Upgrade",
      upgrade: "websocket",
    },
    limits,
    signal,
    send: (asked) => asked.end(),
  });
  if (answer.kind === "response") {
    answer.response.destroy();
    throw new DomainError("proxy_upstream_failed", "The sandbox opens no WebSocket here.", {
      fields: { status: answer.response.statusCode },
    });
  }
  forward.onAnswer();
  const passed = responseHeaders(answer.response.headers, admitted.ticket.target);
  socket.write(headOf(101, { ...passed, connection: "Upgrade", upgrade: "websocket" }));
  if (answer.head.length > 0) socket.write(answer.head);
  if (head.length > 0) answer.socket.write(head);
  await Promise.all([
    pipeline(socket, answer.socket, { signal }),
    pipeline(answer.socket, socket, { signal }),
  ]);
};

/** Refuses the opening of a WebSocket, and closes the connection. */
export const refuseUpgrade = (socket: Duplex, error: DomainError): void => {
  const problem: Problem = problemOf(error);
  const body = JSON.stringify(problem);
  const headers = {
    "content-type": problemContentType,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  // A client that leaves its side open would keep the server from closing.
  socket.end(`${headOf(error.status, headers)}${body}`, () => socket.destroy());
};

const headOf = (status: number, headers: OutgoingHttpHeaders): string => {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => `${name}: ${each}`),
  );
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", ""].join("\r\n");
};
