/** A client of an MCP server that has been greeted: over Streamable HTTP or, if it knows only that, SSE. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { unlessAborted } from "../../unless-aborted.ts";
import type { McpServer } from "./mcp-server.ts";
import { type McpWire, openMcpWire } from "./mcp-wire.ts";

export interface McpBounds {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onToolsChanged?: () => void;
}

export interface McpClient {
  readonly client: Client;
  /** As {@link McpWire.broken}. */
  readonly broken: AbortSignal;
  /** Whether the server keeps a session for us, which it may forget. */
  readonly hasSession: boolean;
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

/** @throws whatever the transports and the way out throw */
export const openMcpClient = async (
  server: McpServer,
  headers: Headers,
  bounds: McpBounds,
): Promise<McpClient> => {
  try {
    return await openStreamable(server, headers, bounds);
  } catch (error) {
    if (!knowsOnlyOlderTransport(error)) throw error;
    return await openSse(server, headers, bounds);
  }
};

/** How a server of the older transport refuses the first message of the newer one. */
const knowsOnlyOlderTransport = (error: unknown): boolean =>
  error instanceof StreamableHTTPError && [400, 404, 405].includes(error.code ?? 0);

/** What breaks off is an outcome that nobody knows; it is not to be taken up again unseen. */
const noReconnection = {
  maxRetries: 0,
  initialReconnectionDelay: 0,
  maxReconnectionDelay: 0,
  reconnectionDelayGrowFactor: 1,
};

const openStreamable = async (
  { url, outbound }: McpServer,
  headers: Headers,
  bounds: McpBounds,
): Promise<McpClient> => {
  const wire = openMcpWire(outbound, { timeoutMs: bounds.timeoutMs, allStreams: false });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: wire.fetch,
    redirectPolicy: "follow",
    reconnectionOptions: noReconnection,
  });
  const client = await greet(transport, wire, bounds);
  return {
    client,
    broken: wire.broken,
    hasSession: transport.sessionId !== undefined,
    close: async () => {
      try {
        await transport.terminateSession();
      } catch {
        // The server forgets idle sessions by itself; ending ours early is a courtesy.
      }
      await client.close();
    },
  };
};

const openSse = async (
  { url, outbound }: McpServer,
  headers: Headers,
  bounds: McpBounds,
): Promise<McpClient> => {
  const wire = openMcpWire(outbound, { timeoutMs: bounds.timeoutMs, allStreams: true });
  const transport = new SSEClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: wire.fetch,
    redirectPolicy: "follow",
  });
  const client = await greet(transport, wire, bounds);
  return { client, broken: wire.broken, hasSession: false, close: () => client.close() };
};

const greet = async (
  transport: Transport,
  { broken }: McpWire,
  { signal, timeoutMs, onToolsChanged }: McpBounds,
): Promise<Client> => {
  const client = new Client({ name: "proliferate", version: "1" });
  if (onToolsChanged) {
    client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  }
  const either = AbortSignal.any([signal, broken]);
  try {
    // Opening a stream does not heed a signal by itself.
    await unlessAborted(client.connect(transport, { signal: either, timeout: timeoutMs }), either);
    return client;
  } catch (error) {
    await client.close();
    throw broken.aborted ? broken.reason : error;
  }
};
