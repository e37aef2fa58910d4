/** The tools that an agent has inside its sandbox, as a policy sees them. */
import type { ActionDefinition } from "../actions/definition.ts";

/**
 * The integration that policies, the log and the inbox file those tools under; its actions are the
 * names by which the agent asks for leave (`bash`, `edit`, `webfetch`, an MCP tool's `<server>_<tool>`).
 * Nothing that people connect may be called so.
 */
export const agentIntegration = "agent";

/** Made once for each name, because hashes of definitions are remembered by object. */
const definitions = new Map<string, ActionDefinition>();
const mostRemembered = 1_000;

/** An agent's tool as an action. What its parameters are, is between the agent and its tool. */
export const agentToolDefinition = (tool: string): ActionDefinition => {
  const known = definitions.get(tool);
  if (known) return known;
  const definition: ActionDefinition = {
    id: tool,
    description: "A tool that the agent has inside its sandbox.",
    risk: "write",
    params: {},
  };
  // The names come out of a sandbox: they must not fill the memory.
  if (definitions.size < mostRemembered) definitions.set(tool, definition);
  return definition;
};
