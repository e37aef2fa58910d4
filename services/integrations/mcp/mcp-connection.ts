/** Short-lived connections to an MCP server: what is done with one, and when it is done once more. */
import { setMaxListeners } from "node:events";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isDomainError } from "#contracts/errors";
import { connectFailure } from "./mcp-failure.ts";
import type { McpServer } from "./mcp-server.ts";
import { type McpBounds, type McpClient, openMcpClient } from "./open-mcp-client.ts";

/** What each request has to be given. */
export interface RequestBounds {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

export interface McpUse<T> {
  /** How long everything may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Told when the server says that its tools are not those that it has listed before. */
  readonly onToolsChanged?: () => void;
  use(client: Client, bounds: RequestBounds): Promise<T>;
  /** What a failure of `use` means to the caller. */
  explain(error: unknown): unknown;
}

/**
 * Connects, hands the client to `use`, and disconnects whatever happens. A fresh connection costs a request
 * or two and is rarely stale. Once more it is done where the server has certainly done nothing: it has
 * forgotten the session, or refuses headers that can be made anew.
 *
 * @throws DomainError as {@link connectFailure} when the server cannot be connected to, and what `explain`
 * makes of anything that goes wrong later
 */
export const withMcpClient = async <T>(server: McpServer, use: McpUse<T>): Promise<T> => {
  const deadline = AbortSignal.timeout(use.timeoutMs);
  const signal = use.signal ? AbortSignal.any([use.signal, deadline]) : deadline;
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(server, { ...use, signal });
    } catch (error) {
      if (tried === 1 && (await isCurable(server, error))) continue;
      throw error instanceof UseFailed ? use.explain(error.cause) : error;
    }
  }
};

/** It failed when the connection stood. */
class UseFailed extends Error {
  readonly hadSession: boolean;
  constructor(cause: unknown, hadSession: boolean) {
    super("An MCP server's connection was used in vain.", { cause });
    this.hadSession = hadSession;
  }
}

const attempt = async <T>(server: McpServer, use: McpUse<T> & McpBounds): Promise<T> => {
  const { client, broken, hasSession, close } = await connect(server, use);
  try {
    const signal = AbortSignal.any([use.signal, broken]);
    // The SDK adds a listener for each request, and a list has many pages.
    setMaxListeners(0, signal);
    return await use.use(client, { signal, timeout: use.timeoutMs });
  } catch (error) {
    throw new UseFailed(broken.aborted ? broken.reason : error, hasSession);
  } finally {
    await close();
  }
};

const connect = async (server: McpServer, bounds: McpBounds): Promise<McpClient> => {
  const headers = await server.headers();
  try {
    return await openMcpClient(server, headers, bounds);
  } catch (error) {
    throw connectFailure(error, bounds.timeoutMs);
  }
};

const isCurable = async ({ renewHeaders }: McpServer, error: unknown): Promise<boolean> => {
  const status = error instanceof UseFailed ? statusOf(error.cause) : undefined;
  if (renewHeaders && (status === 401 || isDomainError(error, "integration_unauthorized"))) {
    await renewHeaders();
    return true;
  }
  // 404 is what the transport's specification has for a session that is gone; many servers answer 400.
  return error instanceof UseFailed && error.hadSession && (status === 404 || status === 400);
};

const statusOf = (error: unknown): number | undefined =>
  error instanceof StreamableHTTPError ? error.code : undefined;
