/** Whether a tool call makes sense, before anything of it is written. */
import { DomainError } from "#contracts/errors";
import { agentTools, findTool, type ToolName } from "#contracts/tools/registry";
import type { ExistingSession } from "../sessions/aggregate/state.ts";

export interface AskedCall {
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly toolSchemaVersion: number;
}

export interface CheckedCall {
  readonly tool: (typeof agentTools)[ToolName];
  /** As the tool's schema reads them. */
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * @throws DomainError `tool_not_found`, `tool_not_available`, `tool_schema_unsupported`, `tool_args_invalid`
 */
export const checkCall = (
  { toolName, args, toolSchemaVersion }: AskedCall,
  { kind }: Pick<ExistingSession, "kind">,
): CheckedCall => {
  const tool = findTool(toolName);
  if (!tool) {
    throw new DomainError("tool_not_found", "There is no such tool.", {
      fields: { tool: toolName, known: Object.keys(agentTools) },
    });
  }
  // A sandbox that was restored from another kind of session may still have the file.
  if (!tool.kinds.includes(kind)) {
    throw new DomainError("tool_not_available", `${tool.name} is not for ${kind} sessions.`, {
      fields: { tool: tool.name, kind },
    });
  }
  if (toolSchemaVersion !== tool.toolSchemaVersion) {
    throw new DomainError(
      "tool_schema_unsupported",
      `This sandbox has another version of ${tool.name}; pause and resume the session to renew it.`,
      { fields: { tool: tool.name, version: toolSchemaVersion, present: tool.toolSchemaVersion } },
    );
  }
  const parsed = tool.args.safeParse(args);
  if (parsed.success) return { tool, args: parsed.data };
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  const said = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  throw new DomainError("tool_args_invalid", `${tool.name} cannot use this: ${said.join("; ")}.`, {
    fields: { issues },
  });
};
