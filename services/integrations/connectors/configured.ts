/** MCP servers that the operator has configured for one organisation or all, without anybody's asking. */
import { agentIntegration } from "#contracts/policy/agent-tools";
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import type { ActionRegistry } from "../../actions/sources/registry.ts";
import type { ActionSource } from "../../actions/sources/source.ts";
import { createMcpSource } from "../mcp/mcp-source.ts";
import type { Outbound } from "../outbound/outbound.ts";

export const configuredConnectorSchema = z.object({
  /** What agents and policies call it. */
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
    .refine((id) => id !== agentIntegration, { error: "is what the agent's own tools are called" }),
  name: z.string().min(1).max(100),
  kind: z.literal("mcp"),
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  /** The organisations that have it; null for all. */
  organizations: z.array(idSchema("organization")).nullable().default(null),
});
export type ConfiguredConnector = z.infer<typeof configuredConnectorSchema>;

/**
 * @param outbound the way to them; the operator may name addresses that an organisation may not
 * @throws TypeError when two connectors of the list have the same id
 */
export const createConnectorRegistry = (
  connectors: readonly ConfiguredConnector[],
  outbound: Outbound,
): ActionRegistry => {
  const ids = new Set(connectors.map(({ id }) => id));
  if (ids.size !== connectors.length) throw new TypeError("Two connectors have the same id.");
  const opened = connectors.map((connector) => ({
    connector,
    source: openSource(connector, outbound),
  }));
  return {
    sourcesOf: (organization) =>
      Promise.resolve(
        opened
          .filter(({ connector }) => connector.organizations?.includes(organization) ?? true)
          .map(({ source }) => source),
      ),
  };
};

const openSource = (
  { id, name, url, headers }: ConfiguredConnector,
  outbound: Outbound,
): ActionSource =>
  createMcpSource({
    id,
    name,
    server: { url, outbound, headers: () => Promise.resolve(headers) },
  });
