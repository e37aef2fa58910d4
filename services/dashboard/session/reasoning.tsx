import { Markdown } from "../ui/markdown.tsx";

/** What the model thought before it spoke; folded away, since few want to read it. */
export const Reasoning = ({ text }: { readonly text: string }) =>
  text.trim() === "" ? null : (
    <details className="reasoning">
      <summary>Reasoning</summary>
      <Markdown text={text} />
    </details>
  );
