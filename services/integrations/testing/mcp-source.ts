/** A source over an MCP server of a test, which may be reached although it is on this machine. */
import type { ActionSource } from "../../actions/sources/source.ts";
import { createMcpSource } from "../mcp/mcp-source.ts";
import type { McpServer } from "../mcp/mcp-server.ts";
import { createOutbound, type OutboundLimits } from "../outbound/outbound.ts";

export interface TestMcp {
  source(
    url: string,
    options?: { readonly clock?: () => number; readonly server?: Partial<McpServer> },
  ): ActionSource;
  close(): Promise<void>;
}

export const openTestMcp = (limits: Partial<OutboundLimits> = {}): TestMcp => {
  const outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"], limits });
  return {
    source: (url, { clock, server } = {}) =>
      createMcpSource({
        id: "tested",
        name: "Tested",
        server: { url, outbound, headers: () => Promise.resolve({}), ...server },
        ...(clock && { clock }),
      }),
    close: () => outbound.close(),
  };
};
