/** What OpenCode's tools tell beside their output. */
import { isDeepStrictEqual } from "node:util";
import type { ToolPart } from "#contracts/transcript/message";
import { cutTexts, jsonLength } from "./cut-texts.ts";
import type { ToolCallPart } from "./schemas.ts";

type Metadata = NonNullable<ToolPart["metadata"]>;

/** By tool, what its output holds too: what a command has printed, what a file holds. */
const inOutput: Readonly<Record<string, readonly string[]>> = {
  bash: ["output"],
  read: ["preview", "display"],
};

/**
 * What a tool has told in the end, without what its part says anyway. A tool that runs tells its metadata again
 * and again, with all that it has printed so far: nobody needs that twice.
 *
 * @param longest of each text, in UTF-16 units. All of it may be twice as long as JSON; beyond that none is kept,
 * because a part of a list or of a tree would pass for the whole.
 */
export const metadataOf = (
  { tool, state }: ToolCallPart,
  longest: number,
): { readonly metadata: Metadata | null; readonly whole: boolean } => {
  if (state.status !== "completed" && state.status !== "error")
    return { metadata: null, whole: true };
  const told = Object.entries(state.metadata ?? {}).filter(
    ([name, value]) =>
      !inOutput[tool]?.includes(name) &&
      !(name === "truncated" && value === false) &&
      !isDeepStrictEqual(value, state.input[name]),
  );
  if (told.length === 0) return { metadata: null, whole: true };
  const all = withoutRepeatedDiff(Object.fromEntries(told));
  const metadata = cutTexts(all, longest) as Metadata;
  const length = jsonLength(metadata);
  return length > 2 * longest
    ? { metadata: null, whole: false }
    : { metadata, whole: length === jsonLength(all) };
};

/** An edit tells its diff by itself, and again beside the numbers of its lines. */
const withoutRepeatedDiff = (told: Metadata): Metadata => {
  const { diff, filediff } = told;
  if (typeof filediff !== "object" || filediff === null) return told;
  const { patch, ...numbers } = filediff as Metadata;
  return patch === diff ? { ...told, filediff: numbers } : told;
};
