/** One short-lived connection to an MCP server over Streamable HTTP. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { DomainError } from "#contracts/errors";

export interface McpServerAddress {
  readonly url: string;
  /** Sent with every request, for instance an authorization; never logged. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How long a server may take to greet us, in milliseconds. */
const connectTimeoutMs = 15_000;

/**
 * Connects, hands the client to `use`, and disconnects whatever happens. A fresh connection per use
 * costs a request or two and cannot be stale: there is no session to lose when the server restarts.
 *
 * @throws DomainError `action_failed` when the server cannot be reached: nothing was asked of it then.
 * What `use` throws is passed on.
 */
export const withMcpClient = async <T>(
  { url, headers }: McpServerAddress,
  signal: AbortSignal | undefined,
  use: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({ name: "proliferate", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    // A stream that breaks off is an outcome that nobody knows; it is not to be taken up again unseen.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  });
  try {
    await connect(client, transport, signal);
    return await use(client);
  } finally {
    await disconnect(client, transport);
  }
};

const connect = async (
  client: Client,
  transport: StreamableHTTPClientTransport,
  signal: AbortSignal | undefined,
): Promise<void> => {
  try {
    await client.connect(transport, {
      timeout: connectTimeoutMs,
      ...(signal && { signal }),
    });
  } catch (error) {
    throw new DomainError("action_failed", "The integration's server cannot be reached.", {
      cause: error,
    });
  }
};

const disconnect = async (
  client: Client,
  transport: StreamableHTTPClientTransport,
): Promise<void> => {
  try {
    if (transport.sessionId !== undefined) await transport.terminateSession();
  } catch {
    // The server forgets idle sessions by itself; ending ours early is a courtesy.
  }
  await client.close();
};
