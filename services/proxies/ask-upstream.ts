/** One request to a sandbox, up to the head of its answer. */
import {
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { DomainError } from "#contracts/errors";
import type { ProxyLimits } from "./limits.ts";

export interface UpstreamRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly limits: ProxyLimits;
  /** The client has gone. */
  readonly signal: AbortSignal;
  /** Sends the body and ends the request. */
  readonly send: (request: ClientRequest) => void;
}

/** The head of an answer; an upgraded connection comes with its socket. */
export type UpstreamAnswer =
  | { readonly kind: "response"; readonly response: IncomingMessage }
  | {
      readonly kind: "upgraded";
      readonly response: IncomingMessage;
      readonly socket: Socket;
      /** What came right behind the head. */
      readonly head: Buffer;
    };

/** @throws DomainError `proxy_upstream_failed`, `proxy_upstream_timed_out` */
export const askUpstream = (asked: UpstreamRequest): Promise<UpstreamAnswer> =>
  new Promise((resolve, reject) => {
    const { url, method, headers, limits, signal } = asked;
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    // A connection of its own for each: a kept one may end just when the next request is written to it.
    const request = start(url, { method, headers, signal, agent: false });
    const timer = setTimeout(() => request.destroy(tooLate()), limits.answerTimeoutMs);
    request.on("error", (error) => {
      clearTimeout(timer);
      reject(error instanceof DomainError ? error : failed(error));
    });
    request.once("response", (response) => {
      clearTimeout(timer);
      request.setTimeout(limits.idleTimeoutMs, () => request.destroy(tooLate()));
      resolve({ kind: "response", response });
    });
    request.once("upgrade", (response, socket, head) => {
      clearTimeout(timer);
      socket.setTimeout(limits.idleTimeoutMs, () => socket.destroy());
      resolve({ kind: "upgraded", response, socket, head });
    });
    asked.send(request);
  });

const failed = (cause: Error): DomainError =>
  new DomainError("proxy_upstream_failed", "Nothing in the sandbox answers here.", { cause });

const tooLate = (): DomainError =>
  new DomainError("proxy_upstream_timed_out", "The sandbox takes too long to answer.");
