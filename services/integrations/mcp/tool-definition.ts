/** How the tools of an MCP server become actions. Pure. */
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { ActionDefinition } from "#contracts/actions/definition";
import type { RiskLevel } from "#contracts/invocation/events";

/** A tool that says nothing about itself counts as one that writes. */
export const riskOf = (annotations: Tool["annotations"]): RiskLevel => {
  // Asked first: a server that claims both is believed in the worse.
  if (annotations?.destructiveHint === true) return "danger";
  return annotations?.readOnlyHint === true ? "read" : "write";
};

export const definitionOf = (tool: Tool): ActionDefinition => ({
  id: tool.name,
  description: tool.description ?? tool.title ?? tool.annotations?.title ?? "",
  risk: riskOf(tool.annotations),
  ...(tool.annotations?.idempotentHint === true && { idempotent: true }),
  params: { ...tool.inputSchema },
});

/** A Markdown guide for an agent, made from the definitions. */
export const guideOf = (
  source: { id: string; name: string },
  actions: readonly ActionDefinition[],
): string =>
  [`# ${source.name}`, ...actions.map((action) => sectionOf(source.id, action)), ""].join("\n\n");

const sectionOf = (
  integration: string,
  { id, description, risk, params }: ActionDefinition,
): string =>
  [
    `## ${id} (${risk})`,
    description,
    "Parameters (JSON Schema):",
    ["```json", JSON.stringify(params, null, 2), "```"].join("\n"),
    [
      "```sh",
      `proliferate actions run --integration ${integration} --action ${id} --params '{…}'`,
      "```",
    ].join("\n"),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
