import { type FormEvent, useId, useState } from "react";
import type { SessionId } from "#contracts/ids";
import { useUser } from "../app/identity.ts";
import { Button } from "../ui/button.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { authorLabel } from "./author-label.ts";
import { useReviseQueued } from "./session-queries.ts";
import type { QueuedPrompt } from "./session-state.ts";

interface QueuedMessageProps {
  readonly sessionId: SessionId;
  readonly prompt: QueuedPrompt;
}

/** What was asked and the agent has not begun with; until then it can be worded anew or taken back. */
export const QueuedMessage = ({ sessionId, prompt }: QueuedMessageProps) => {
  const user = useUser();
  const author = prompt.author === undefined ? "You" : authorLabel(prompt.author, user);
  const revise = useReviseQueued(sessionId, prompt.promptId);
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <article className="message message-user" aria-label={`${author}, waiting`}>
      {author !== "You" && <p className="message-author">{author}</p>}
      {draft === null || !prompt.waits ? (
        <Markdown text={prompt.text} />
      ) : (
        <Rewording
          draft={draft}
          busy={revise.isPending}
          onChange={setDraft}
          onCancel={() => setDraft(null)}
          onSave={() => revise.mutate(draft.trim(), { onSuccess: () => setDraft(null) })}
        />
      )}
      <ProblemNotice error={revise.error} />
      <div className="message-note">
        <span className="muted">Waiting for the agent</span>
        {prompt.waits && draft === null && (
          <div className="button-row">
            <Button kind="quiet" onClick={() => setDraft(prompt.text)}>
              Edit
            </Button>
            <Button kind="quiet" busy={revise.isPending} onClick={() => revise.mutate(null)}>
              Take back
            </Button>
          </div>
        )}
      </div>
    </article>
  );
};

interface RewordingProps {
  readonly draft: string;
  readonly busy: boolean;
  readonly onChange: (draft: string) => void;
  readonly onCancel: () => void;
  readonly onSave: () => void;
}

const Rewording = ({ draft, busy, onChange, onCancel, onSave }: RewordingProps) => {
  const box = useId();
  const save = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={save} aria-label="Edit the prompt">
      <label className="visually-hidden" htmlFor={box}>
        Waiting prompt
      </label>
      <textarea
        id={box}
        rows={3}
        autoFocus
        value={draft}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="button-row button-row-end">
        <Button onClick={onCancel}>Keep as it was</Button>
        <Button kind="primary" type="submit" busy={busy} disabled={draft.trim() === ""}>
          Save
        </Button>
      </div>
    </form>
  );
};
