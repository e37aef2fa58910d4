/** All tools of a server, as far as they can be actions. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { z } from "zod";
import type { ActionDefinition, LeftOutAction } from "#contracts/actions/definition";
import { DomainError } from "#contracts/errors";
import type { RequestBounds } from "./mcp-connection.ts";
import { readTool } from "./tool-definition.ts";

export interface ToolListing {
  readonly definitions: readonly ActionDefinition[];
  readonly leftOut: readonly LeftOutAction[];
}

/** A server that always names one more page would keep us for ever. */
const maxPages = 50;
/** More than any agent can choose from. */
const maxTools = 500;
const maxLeftOut = 50;

/** Each tool is read on its own, so that one which makes no sense does not take the others away. */
const pageSchema = z.object({
  tools: z.array(z.unknown()),
  nextCursor: z.string().max(10_000).optional(),
});

/**
 * The SDK's own function would compile every output schema of the server, at any cost.
 *
 * @throws DomainError `integration_catalogue_too_large`; whatever a request throws
 */
export const listTools = async (client: Client, bounds: RequestBounds): Promise<ToolListing> => {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, pageSchema, bounds);
    tools.push(...answer.tools.slice(0, maxTools + 1));
    if (tools.length > maxTools) throw tooLarge(`more than ${maxTools} tools`);
    if (answer.nextCursor === undefined) return withoutAmbiguity(tools.map(readTool));
    cursor = answer.nextCursor;
  }
  throw tooLarge(`more than ${maxPages} pages of tools`);
};

const tooLarge = (what: string): DomainError =>
  new DomainError("integration_catalogue_too_large", `The integration's server lists ${what}.`, {
    fields: { maxTools, maxPages },
  });

/** Of two tools with one name, one might be let run for what the other says of itself: neither is offered. */
const withoutAmbiguity = (read: readonly (ActionDefinition | LeftOutAction)[]): ToolListing => {
  const definitions = read.filter((one): one is ActionDefinition => "id" in one);
  const leftOut = read.filter((one): one is LeftOutAction => "code" in one);
  const counts = new Map<string, number>();
  for (const { id } of definitions) counts.set(id, (counts.get(id) ?? 0) + 1);
  const ambiguous = [...counts].filter(([, count]) => count > 1).map(([name]) => name);
  return {
    definitions: definitions.filter(({ id }) => counts.get(id) === 1),
    leftOut: [
      ...leftOut,
      ...ambiguous.map((name) => ({ name, code: "tool_name_duplicate" }) as const),
    ].slice(0, maxLeftOut),
  };
};
