import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";

/**
 * Links leave the dashboard without telling where from. Pictures become links: loading one would let
 * the text of an agent call any server from a reader's browser.
 */
const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt ? alt : "Picture"}
    </a>
  ),
};

/** Markdown from agents and people; HTML in it is shown as text. */
export const Markdown = memo(({ text }: { readonly text: string }) => (
  <div className="markdown">
    <ReactMarkdown components={components}>{text}</ReactMarkdown>
  </div>
));
Markdown.displayName = "Markdown";
