import { useMemo } from "react";
import { type Todo, todosOf } from "#contracts/transcript/todos";
import { Badge, type Tone } from "../ui/badge.tsx";
import type { SessionState } from "./session-state.ts";

const shown: Readonly<Record<Todo["status"], { readonly label: string; readonly tone: Tone }>> = {
  pending: { label: "To do", tone: "neutral" },
  in_progress: { label: "Doing", tone: "active" },
  completed: { label: "Done", tone: "success" },
  cancelled: { label: "Dropped", tone: "neutral" },
};

/** What the agent is about to do, as it says: a line that opens to its whole list. */
export const TodoList = ({ messages, streaming }: Pick<SessionState, "messages" | "streaming">) => {
  // A token changes only what is being streamed; a long transcript is not searched again for each.
  const recorded = useMemo(() => todosOf(messages), [messages]);
  const todos = todosOf(streaming) ?? recorded ?? [];
  if (todos.length === 0) return null;
  const open = todos.filter(({ status }) => status === "pending" || status === "in_progress");
  const next = open.find(({ status }) => status === "in_progress") ?? open[0];
  return (
    <details className="tool todos">
      <summary>
        <span className="tool-name">
          {todos.length - open.length} of {todos.length} done
        </span>
        <span className="tool-summary">{next?.content}</span>
      </summary>
      <ol className="tool-body plain-list" aria-label="What the agent is about to do">
        {todos.map(({ content, status }, index) => (
          <li key={index}>
            <span className="breakable">{content}</span>
            <Badge tone={shown[status].tone}>{shown[status].label}</Badge>
          </li>
        ))}
      </ol>
    </details>
  );
};
