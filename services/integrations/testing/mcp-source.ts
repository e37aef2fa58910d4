/** A source over an MCP server of a test, which may be reached although it is on this machine. */
import type { ActionSource } from "../../actions/sources/source.ts";
import { createMcpSource } from "../mcp/mcp-source.ts";
import type { McpServer } from "../mcp/mcp-server.ts";
import { createOutbound, type OutboundLimits } from "../outbound/outbound.ts";

export interface TestMcp {
  server(url: string): McpServer;
  source(
    url: string,
    options?: { readonly clock?: () => number; readonly server?: Partial<McpServer> },
  ): ActionSource;
  close(): Promise<void>;
}

export const openTestMcp = (limits: Partial<OutboundLimits> = {}): TestMcp => {
  const outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"], limits });
  const serverAt = (url: string): McpServer => ({
    url,
    outbound,
    headers: () => Promise.resolve({}),
  });
  return {
    server: serverAt,
    source: (url, { clock, server } = {}) =>
      createMcpSource({
        id: "tested",
        name: "Tested",
        server: { ...serverAt(url), ...server },
        ...(clock && { clock }),
      }),
    close: () => outbound.close(),
  };
};
