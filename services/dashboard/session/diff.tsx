import { visibleText } from "../ui/visible-text.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";

const elements = { added: "ins", removed: "del", context: "span", place: "span" } as const;

/** A unified diff, coloured by line; its signs say the same without colours. */
export const Diff = ({ text }: { readonly text: string }) => (
  <pre className="code diff" tabIndex={0} aria-label="Diff">
    {diffLines(text).map((line, index) => (
      <Line key={index} line={line} />
    ))}
  </pre>
);

const Line = ({ line: { kind, text } }: { readonly line: DiffLine }) => {
  const Element = elements[kind];
  return <Element className={`diff-${kind}`}>{`${visibleText(text)}\n`}</Element>;
};
