/** OpenCode's tool calls in the control plane's shape. */
import type { ToolPart } from "#contracts/transcript/message";
import { cutTexts, jsonLength } from "./cut-texts.ts";
import { type PartLimits, toolLimits } from "./fit-parts.ts";
import type { ToolCallPart } from "./schemas.ts";
import { metadataOf } from "./tool-metadata.ts";

export const toolPartOf = (
  part: ToolCallPart,
  { tool: longest }: PartLimits = toolLimits,
): ToolPart => {
  const { id, callID, tool, state } = part;
  const output = outputOf(state);
  const error = state.status === "error" ? state.error : null;
  const input = cutTexts(state.input, longest) as ToolPart["input"];
  const { metadata, whole } = metadataOf(part, longest);
  const tooLong = (text: string | null): boolean => text !== null && text.length > longest;
  return {
    kind: "tool",
    id,
    callId: callID,
    tool,
    status: state.status,
    title: ("title" in state ? state.title : undefined) ?? null,
    input,
    output: output === null ? null : output.slice(0, longest),
    error: error === null ? null : error.slice(0, longest),
    metadata,
    truncated:
      tooLong(output) || tooLong(error) || !whole || jsonLength(input) !== jsonLength(state.input),
  };
};

/** While a command runs, OpenCode shows what it has printed so far. */
const outputOf = (state: ToolCallPart["state"]): string | null => {
  if (state.status === "completed") return state.output;
  if (state.status !== "running") return null;
  const printed = state.metadata?.["output"];
  return typeof printed === "string" ? printed : null;
};
