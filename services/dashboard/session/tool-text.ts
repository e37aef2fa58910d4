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

/** An edit's unified diff; null for what tells none. */
export const toolDiff = ({ metadata }: Pick<ToolPart, "metadata">): string | null => {
  const diff = metadata?.["diff"];
  return typeof diff === "string" && diff !== "" ? diff : null;
};

/** How a command ended; null where it has not, and for what is no command. */
export const exitCodeOf = ({ metadata }: Pick<ToolPart, "metadata">): number | null => {
  const code = metadata?.["exit"];
  return typeof code === "number" ? code : null;
};

/** A shell command as it is typed; everything else as JSON. */
export const toolInputText = (input: ToolPart["input"]): string => {
  const { command, description, ...rest } = input;
  const isShell = typeof command === "string" && Object.keys(rest).length === 0;
  return isShell && (description === undefined || typeof description === "string")
    ? command
    : JSON.stringify(input, null, 2);
};
