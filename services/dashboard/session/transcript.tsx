import { memo, useRef } from "react";
import type { StreamingMessage } from "#contracts/live/messages";
import type { SessionId } from "#contracts/ids";
import type { Failure } from "#contracts/session/events";
import type { SessionStatus } from "#contracts/session/view";
import type { MessagePart } from "#contracts/transcript/message";
import type { ShownMessage } from "#contracts/transcript/view";
import { useUser } from "../app/identity.ts";
import { Button } from "../ui/button.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Notice } from "../ui/notice.tsx";
import { authorLabel } from "./author-label.ts";
import { BootProgress } from "./boot-progress.tsx";
import { FilesChanged } from "./files-changed.tsx";
import { QueuedMessage } from "./queued-message.tsx";
import { Reasoning } from "./reasoning.tsx";
import type { SessionState } from "./session-state.ts";
import { isBooting } from "./session-status.ts";
import { ToolCard } from "./tool-card.tsx";
import { useStickToEnd } from "./use-stick-to-end.ts";

interface TranscriptProps {
  readonly sessionId: SessionId;
  readonly state: SessionState;
  readonly status: SessionStatus;
  /** The agent owes an answer. */
  readonly busy: boolean;
}

/** Everything that was said, and what is being said. */
export const Transcript = ({ sessionId, state, status, busy }: TranscriptProps) => {
  const log = useRef<HTMLDivElement>(null);
  const { onScroll, atEnd, toEnd } = useStickToEnd(log, {
    shown: state,
    ownAction: state.queued.at(-1)?.promptId,
  });
  const empty = state.messages.length + state.streaming.length + state.queued.length === 0;
  return (
    <div className="transcript-frame">
      <div
        className="transcript"
        ref={log}
        role="log"
        aria-label="Transcript"
        aria-live="polite"
        tabIndex={0}
        onScroll={onScroll}
      >
        <div className="transcript-column">
          {empty && !busy && !isBooting(status) && (
            <p className="transcript-empty muted">
              Nothing was said yet. Tell the agent what to do.
            </p>
          )}
          {state.messages.map((message) => (
            <WholeMessage key={message.id} message={message} />
          ))}
          {state.streaming.map((message) => (
            <StreamedMessage key={message.id} message={message} />
          ))}
          {state.queued.map((prompt) => (
            <QueuedMessage key={prompt.promptId} sessionId={sessionId} prompt={prompt} />
          ))}
          <Tail state={state} status={status} busy={busy} />
        </div>
      </div>
      {!atEnd && (
        <div className="to-end">
          <Button onClick={toEnd}>Jump to the latest</Button>
        </div>
      )}
    </div>
  );
};

const WholeMessage = memo(({ message }: { readonly message: ShownMessage }) => {
  const user = useUser();
  const asked = message.role === "user";
  const author = asked ? authorLabel(message.author, user) : "Agent";
  return (
    <article className={`message message-${message.role}`} aria-label={author}>
      {asked && author !== "You" && <p className="message-author">{author}</p>}
      <Parts parts={message.parts} />
      {message.filesChanged && <FilesChanged changes={message.filesChanged} />}
      {message.failure && <FailureNotice failure={message.failure} />}
    </article>
  );
});
WholeMessage.displayName = "WholeMessage";

/** Busy until it is whole, so that a screen reader waits for the sentence instead of reading each token. */
const StreamedMessage = memo(({ message }: { readonly message: StreamingMessage }) => (
  <article
    className="message message-assistant message-streaming"
    aria-label="Agent"
    aria-busy="true"
  >
    <Parts parts={message.parts} />
  </article>
));
StreamedMessage.displayName = "StreamedMessage";

const Parts = ({ parts }: { readonly parts: readonly MessagePart[] }) =>
  parts.map((part) => <Part key={part.id} part={part} />);

/** Memoised: while one part grows, the others of its message stay the same objects. */
const Part = memo(({ part }: { readonly part: MessagePart }) => {
  switch (part.kind) {
    case "text":
      return <Markdown text={part.text} />;
    case "reasoning":
      return <Reasoning text={part.text} />;
    case "tool":
      return <ToolCard part={part} />;
  }
});
Part.displayName = "Part";

/** What is going on after the last message. */
const Tail = ({ state, status, busy }: Omit<TranscriptProps, "sessionId">) => {
  if (isBooting(status)) return <BootProgress stages={state.bootStages} status={status} />;
  if (state.retrying) {
    return (
      <Notice tone="warning">
        <span>
          The model is busy; attempt {state.retrying.attempt} failed and the agent tries again.{" "}
          <span className="muted">{state.retrying.detail}</span>
        </span>
      </Notice>
    );
  }
  if (busy && status === "running") {
    return (
      <p className="working" role="status">
        <span className="spinner" aria-hidden="true" />
        The agent is working
      </p>
    );
  }
  // The last message says it itself.
  if (state.messages.at(-1)?.failure) return null;
  if (state.ended?.outcome === "cancelled")
    return <Notice tone="info">The answer was cancelled.</Notice>;
  if (state.ended?.failure) return <FailureNotice failure={state.ended.failure} />;
  return null;
};

/** That somebody cancelled is no trouble; everything else is. */
const FailureNotice = ({ failure }: { readonly failure: Failure }) =>
  failure.code === "agent_aborted" ? (
    <Notice tone="info">The answer was cancelled.</Notice>
  ) : (
    <Notice tone="danger">
      <span>
        {failure.message} <span className="muted">({failure.code.replaceAll("_", " ")})</span>
      </span>
    </Notice>
  );
