/** The demo's outside world: a list of releases that an agent may add to. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

export interface Release {
  readonly version: string;
  readonly publishedAt: string;
}

const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

const json = (value: object): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
});

/** An MCP server with one tool of each risk over these releases. They are changed in place. */
export const createReleasesServer = (releases: Release[]): McpServer => {
  const server = new McpServer({ name: "demo-releases", version: "1.0.0" });
  server.registerTool(
    "list_releases",
    { description: "Lists the releases that were published.", annotations: { readOnlyHint: true } },
    () => json({ releases }),
  );
  server.registerTool(
    "publish_release",
    {
      description: "Publishes a release.",
      inputSchema: {
        version: z.string().regex(semver).describe("A semantic version, for example 1.2.0"),
      },
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ version }) => {
      if (releases.some((release) => release.version === version)) {
        return {
          isError: true,
          content: [{ type: "text", text: `${version} is published already.` }],
        };
      }
      const release = { version, publishedAt: new Date().toISOString() };
      releases.push(release);
      return json(release);
    },
  );
  server.registerTool(
    "delete_everything",
    { description: "Removes every release.", annotations: { destructiveHint: true } },
    () => json({ deleted: releases.splice(0).length }),
  );
  return server;
};
