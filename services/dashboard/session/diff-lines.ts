/** A unified diff line by line. Pure. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "context" | "place";
  readonly text: string;
}

/** Without what stands before the first place: it names the file, which the tool's title does too. */
export const diffLines = (diff: string): readonly DiffLine[] => {
  const lines = diff.replace(/\n$/, "").split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return lines.slice(Math.max(first, 0)).map((text) => ({ kind: kindOf(text), text }));
};

const kindOf = (line: string): DiffLine["kind"] => {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "place" : "context";
};
