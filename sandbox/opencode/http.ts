/**
 * HTTP to an agent's server, by `node:http`: a runner keeps a stream and calls for each of its sessions, and
 * `fetch` takes 150 KB of memory more for these, most of it for its streams and a pool for each server.
 */
import { once } from "node:events";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { createParser } from "eventsource-parser";

export interface AgentRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string;
  /** Breaks off the request, and the reading of its response. */
  readonly signal: AbortSignal;
}

/** @throws Error of `node:http` when the server does not answer, or an `AbortError` */
export const requestAgent = async (
  url: URL,
  { method, headers, body, signal }: AgentRequest,
): Promise<IncomingMessage> => {
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const sent = request(url, { method, headers, signal });
  // Before the wait for a response: it must find somebody who listens.
  const responded = once(sent, "response");
  sent.end(body);
  const [response] = (await responded) as [IncomingMessage];
  return response.setEncoding("utf8");
};

/** The whole body. @throws Error when it breaks off */
export const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of response) text += chunk as string;
  return text;
};

/** The data of one server-sent event after the other (WHATWG HTML, 9.2). @throws Error when the stream breaks off */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<string> {
  let received: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => received.push(data) });
  for await (const chunk of response) {
    parser.feed(chunk as string);
    const events = received;
    received = [];
    yield* events;
  }
}
