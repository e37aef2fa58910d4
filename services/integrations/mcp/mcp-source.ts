/** The tools of an MCP server as actions. */
import { CallToolResultSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { ActionSource } from "../../actions/sources/source.ts";
import { guideOf } from "../action-guide.ts";
import { listTools } from "./list-tools.ts";
import { withMcpClient } from "./mcp-connection.ts";
import { callFailure, connectFailure } from "./mcp-failure.ts";
import type { McpServer } from "./mcp-server.ts";
import { createToolCache } from "./tool-cache.ts";
import { resultOf } from "./tool-result.ts";

export interface McpSourceOptions {
  readonly id: string;
  readonly name: string;
  readonly server: McpServer;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const listTimeoutMs = 15_000;
const callTimeoutMs = 30_000;

/** An {@link ActionSource} over an MCP server. Nothing is connected before it is used. */
export const createMcpSource = ({
  id,
  name,
  server,
  clock = Date.now,
}: McpSourceOptions): ActionSource => {
  const cache = createToolCache({
    clock,
    fetch: () =>
      withMcpClient(server, {
        timeoutMs: listTimeoutMs,
        onToolsChanged: () => cache.changed(),
        use: listTools,
        explain: (error) => connectFailure(error, listTimeoutMs),
      }),
  });
  const list = async () => (await cache.get()).definitions;
  return {
    id,
    name,
    list,
    leftOut: async () => (await cache.get()).leftOut,
    guide: async () => guideOf({ id, name }, await list()),
    execute: async (action, params, { signal, idempotencyKey }) => {
      const call = {
        name: action,
        arguments: { ...params },
        _meta: { "proliferate/idempotencyKey": idempotencyKey },
      };
      const result = await withMcpClient(server, {
        timeoutMs: callTimeoutMs,
        signal,
        onToolsChanged: () => cache.changed(),
        use: (client, bounds) =>
          client.request({ method: "tools/call", params: call }, CallToolResultSchema, bounds),
        explain: (error) => {
          // Perhaps there is no such tool any more, or it wants other parameters.
          if (isRefusalOfParams(error)) cache.changed();
          return callFailure(error);
        },
      });
      return resultOf(result);
    },
  };
};

const isRefusalOfParams = (error: unknown): boolean =>
  error instanceof McpError && error.code === Number(ErrorCode.InvalidParams);
