import type { ToolPart } from "#contracts/transcript/message";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Diff } from "./diff.tsx";
import { exitCodeOf, toolDiff, toolInputText, toolSummary } from "./tool-text.ts";

const shown: Readonly<Record<ToolPart["status"], { readonly label: string; readonly tone: Tone }>> =
  {
    pending: { label: "Preparing", tone: "neutral" },
    running: { label: "Running", tone: "active" },
    completed: { label: "Done", tone: "success" },
    error: { label: "Failed", tone: "danger" },
  };

/** One call of a tool: a line that opens to its input and output. */
export const ToolCard = ({ part }: { readonly part: ToolPart }) => {
  const summary = toolSummary(part);
  const { label, tone } = shown[part.status];
  const diff = toolDiff(part);
  const exitCode = exitCodeOf(part);
  return (
    <details className="tool">
      <summary>
        <span className="tool-name">{part.tool}</span>
        <span className="tool-summary">{summary}</span>
        {exitCode !== null && exitCode !== 0 && <Badge tone="warning">Exit code {exitCode}</Badge>}
        <Badge tone={tone} moving={part.status === "running"}>
          {label}
        </Badge>
      </summary>
      <div className="tool-body">
        {diff !== null && (
          <section className="tool-block">
            <h4>Diff</h4>
            <Diff text={diff} />
          </section>
        )}
        {Object.keys(part.input).length > 0 && (
          <Block label="Input" text={toolInputText(part.input)} />
        )}
        {part.output !== null && part.output !== "" && <Block label="Output" text={part.output} />}
        {part.error !== null && <Block label="Error" text={part.error} />}
        {part.truncated && <p className="muted">This was shortened to be stored.</p>}
      </div>
    </details>
  );
};

const Block = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <section className="tool-block">
    <h4>{label}</h4>
    <pre className="code" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  </section>
);
