/** What a session is called when nobody has named it. Pure. */

const longestTitle = 80;

/** The prompt's first line with something in it, else what the session is for. */
export const titleFrom = ({
  prompt,
  configuration,
}: {
  readonly prompt: string | null;
  /** The name of the session's configuration. */
  readonly configuration: string | null;
}): string => {
  const line = (prompt ?? "")
    .split("\n")
    .map((text) => text.trim())
    .find((text) => text !== "");
  if (line === undefined) return configuration ?? "New session";
  const letters = [...line];
  return letters.length <= longestTitle
    ? line
    : `${letters
        .slice(0, longestTitle - 1)
        .join("")
        .trimEnd()}…`;
};
