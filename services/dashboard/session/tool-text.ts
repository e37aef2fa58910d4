/** How a tool call reads in one line, and in full. Pure. */
import type { ToolPart } from "#contracts/transcript/message";

/** The argument that says most about a call, by which tools usually name it. */
const tellingArguments = [
  "command",
  "filePath",
  "path",
  "pattern",
  "query",
  "url",
  "description",
] as const;

/** The agent's own title, or the most telling argument; null when there is neither. */
export const toolSummary = ({ title, input }: Pick<ToolPart, "title" | "input">): string | null => {
  if (title !== null && title !== "") return title;
  for (const name of tellingArguments) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return value.split("\n", 1)[0] ?? null;
  }
  return null;
};

/** A shell command as it is typed; everything else as JSON. */
export const toolInputText = (input: ToolPart["input"]): string => {
  const { command, description, ...rest } = input;
  const isShell = typeof command === "string" && Object.keys(rest).length === 0;
  return isShell && (description === undefined || typeof description === "string")
    ? command
    : JSON.stringify(input, null, 2);
};
