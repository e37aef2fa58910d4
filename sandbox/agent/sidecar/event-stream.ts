/** Server-sent events (WHATWG HTML, section "Server-sent events"). */
import { once } from "node:events";
import { commonHeaders, type ApiReply } from "./api.ts";

export interface ServerSentEvent {
  /** What the client sends as `Last-Event-ID` to go on after this one. */
  readonly id?: string;
  readonly event?: string;
  /** One line. */
  readonly data: string;
}

/** Proxies close connections on which nothing is said. */
const heartbeatMs = 15_000;

/** Ends with the events, or when the client has gone; reads no faster than the client does. */
export const eventStream = (
  events: AsyncIterable<ServerSentEvent>,
  gone: AbortSignal,
): ApiReply => ({
  kind: "stream",
  write: async (response) => {
    response.writeHead(200, {
      ...commonHeaders,
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    const heartbeat = setInterval(() => response.write(": still here\n\n"), heartbeatMs);
    try {
      for await (const event of events) {
        if (response.write(format(event))) continue;
        // Aborted: the client has gone, and the loop ends by itself.
        await once(response, "drain", { signal: gone }).catch(() => undefined);
      }
    } finally {
      clearInterval(heartbeat);
      response.end();
    }
  },
});

const format = ({ id, event, data }: ServerSentEvent): string =>
  [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    // A carriage return would end the line for the client.
    `data: ${data.replaceAll("\r", "␍")}`,
    "\n",
  ].join("\n");
