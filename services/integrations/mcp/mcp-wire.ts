/**
 * The requests of one connection to an MCP server, in bounds. The SDK turns what goes wrong with a stream
 * into text, and goes on waiting for what cannot come any more; so the failure is remembered here, and ends
 * the wait.
 */
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Outbound, OutboundLimits } from "../outbound/outbound.ts";

export interface McpWire {
  readonly fetch: FetchLike;
  /** Aborts, with the failure as its reason, when an answer that somebody waits for breaks off. */
  readonly broken: AbortSignal;
}

/** Of what a server answers to all messages of one connection together, in bytes. */
const maxAnswerBytes = 5 * 1024 * 1024;

/**
 * @param allStreams whether an answer may come by any stream (the older transport), and not only by the one
 * that the question was sent with: a server may close the other ones whenever it likes
 */
export const openMcpWire = (
  outbound: Outbound,
  { timeoutMs, allStreams }: Pick<OutboundLimits, "timeoutMs"> & { readonly allStreams: boolean },
): McpWire => {
  const breaking = new AbortController();
  return {
    broken: breaking.signal,
    fetch: async (url, init) => {
      // Which redirects are followed is decided on the way out, for all clients alike.
      const limits = { timeoutMs, maxBodyBytes: maxAnswerBytes };
      const response = await outbound.fetch(url, init, limits);
      const awaited = allStreams || init?.method === "POST";
      if (!awaited || !response.ok || response.body === null) return response;
      const { status, statusText, headers } = response;
      const body = watched(response.body, (failure) => breaking.abort(failure));
      const same = new Response(body, { status, statusText, headers });
      Object.defineProperty(same, "url", { value: response.url });
      return same;
    },
  };
};

/** The same bytes; `onFailure` is told when they break off. */
const watched = (
  body: ReadableStream<Uint8Array>,
  onFailure: (failure: unknown) => void,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  let wanted = true;
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!wanted) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (!wanted) return;
        onFailure(error);
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      wanted = false;
      await reader.cancel(reason);
    },
  });
};
