/** How a tool of an MCP server becomes an action, if it can be one. Pure. */
import { ToolAnnotationsSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { ActionDefinition, LeftOutAction } from "#contracts/actions/definition";
import type { RiskLevel } from "#contracts/invocation/events";
import { plainLine, plainText } from "../plain-text.ts";
import { isWithin } from "./json-size.ts";

/** What is read of a tool; nothing else that a server says of it is looked at. */
const toolSchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  annotations: ToolAnnotationsSchema.optional(),
  inputSchema: z.record(z.string(), z.unknown()),
});
type Tool = z.infer<typeof toolSchema>;

const maxDescriptionLength = 4_000;
const maxShownNameLength = 100;
/**
 * Deep enough for people's schemas. The hash that tells whether an action has changed looks at 32 levels: a
 * change below them would not be seen.
 */
const schemaLimits = { depth: 30, values: 5_000, bytes: 64 * 1024 } as const;

/** What policies, paths and a shell can hold as it is; servers ought to keep to it by themselves. */
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,99}$/;

/** A tool that says nothing about itself counts as one that writes. */
export const riskOf = (annotations: Tool["annotations"]): RiskLevel => {
  // Asked first: a server that claims both is believed in the worse.
  if (annotations?.destructiveHint === true) return "danger";
  return annotations?.readOnlyHint === true ? "read" : "write";
};

/** The action, or why the tool cannot be one. */
export const readTool = (raw: unknown): ActionDefinition | LeftOutAction => {
  const tool = toolSchema.safeParse(raw);
  if (!tool.success) return { name: shownNameOf(raw), code: "tool_malformed" };
  const { name, title, description, annotations, inputSchema } = tool.data;
  const leftOut = (code: LeftOutAction["code"]): LeftOutAction => ({
    name: shownNameOf(raw),
    code,
  });
  if (!namePattern.test(name)) return leftOut("tool_name_invalid");
  if (inputSchema["type"] !== "object") return leftOut("tool_malformed");
  if (!isWithin(inputSchema, schemaLimits)) return leftOut("tool_schema_too_large");
  return {
    id: name,
    description: plainText(description ?? title ?? annotations?.title ?? "", maxDescriptionLength),
    risk: riskOf(annotations),
    ...(annotations?.idempotentHint === true && { idempotent: true }),
    params: inputSchema,
  };
};

const shownNameOf = (raw: unknown): string => {
  const named = z.object({ name: z.string() }).safeParse(raw);
  return named.success ? plainLine(named.data.name, maxShownNameLength) : "";
};
