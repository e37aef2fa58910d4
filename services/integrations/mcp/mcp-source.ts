/** The tools of an MCP server as actions. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ActionDefinition } from "#contracts/actions/definition";
import { DomainError, isDomainError } from "#contracts/errors";
import type { ActionSource } from "../../actions/source.ts";
import { type McpServerAddress, withMcpClient } from "./mcp-connection.ts";
import { definitionOf, guideOf } from "./tool-definition.ts";
import { callError, resultOf } from "./tool-result.ts";

export interface McpSourceOptions extends McpServerAddress {
  readonly id: string;
  readonly name: string;
  /** For how long the list of tools is believed, in milliseconds. */
  readonly listForMs?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const listTimeoutMs = 15_000;
/** Above any limit of a caller: who calls decides, through the signal. */
const callTimeoutMs = 600_000;
/** A server that always names one more page would keep us for ever. */
const maxPages = 50;

interface Listing {
  readonly definitions: Promise<readonly ActionDefinition[]>;
  readonly until: number;
}

/** An {@link ActionSource} over a Streamable HTTP MCP server. Nothing is connected before it is used. */
export const createMcpSource = (options: McpSourceOptions): ActionSource => {
  const { id, name, listForMs = 30_000, clock = Date.now } = options;
  let listing: Listing | null = null;

  const list = async (): Promise<readonly ActionDefinition[]> => {
    if (listing && clock() < listing.until) return listing.definitions;
    const current: Listing = { definitions: fetchDefinitions(options), until: clock() + listForMs };
    listing = current;
    try {
      return await current.definitions;
    } catch (error) {
      // A failure is not worth remembering.
      if (listing === current) listing = null;
      throw error;
    }
  };

  return {
    id,
    name,
    list,
    guide: async () => guideOf({ id, name }, await list()),
    execute: (action, params, { signal, idempotencyKey }) =>
      withMcpClient(options, signal, async (client) => {
        try {
          const result = await client.callTool(
            {
              name: action,
              arguments: { ...params },
              _meta: { "proliferate/idempotencyKey": idempotencyKey },
            },
            undefined,
            { signal, timeout: callTimeoutMs },
          );
          return resultOf(result as CallToolResult);
        } catch (error) {
          throw callError(error);
        }
      }),
  };
};

const fetchDefinitions = async (
  address: McpServerAddress,
): Promise<readonly ActionDefinition[]> => {
  try {
    return await withMcpClient(address, undefined, async (client) => {
      const definitions: ActionDefinition[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const { tools, nextCursor } = await client.listTools(
          cursor === undefined ? {} : { cursor },
          {
            timeout: listTimeoutMs,
          },
        );
        definitions.push(...tools.map(definitionOf));
        if (nextCursor === undefined) break;
        cursor = nextCursor;
      }
      return definitions;
    });
  } catch (error) {
    if (isDomainError(error)) throw error;
    throw new DomainError("action_failed", "The integration's server did not list its actions.", {
      cause: error,
    });
  }
};
