import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import type { PromptId, SessionId } from "#contracts/ids";
import { maxPromptBytes } from "#contracts/session/limits";
import type { SessionStatus } from "#contracts/session/view";
import { useIdempotencyKey } from "../app/use-idempotency-key.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useControl, usePrompt } from "./session-queries.ts";

interface ComposerProps {
  readonly sessionId: SessionId;
  readonly status: SessionStatus;
  /** The agent owes an answer, so there is something to cancel. */
  readonly busy: boolean;
  readonly onSent: (promptId: PromptId, text: string) => void;
}

const placeholders: Partial<Record<SessionStatus, string>> = {
  paused: "Ask the agent something; this resumes the session",
  failed: "Ask the agent something; this starts the session again",
};

/** The box in which a person asks. A draft that could not be sent stays in it. */
export const Composer = ({ sessionId, status, busy, onSent }: ComposerProps) => {
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const prompt = usePrompt(sessionId);
  const cancel = useControl(sessionId);
  const { keyOf, forget } = useIdempotencyKey();
  const ids = { box: useId(), hint: useId() };
  const draft = text.trim();
  const tooLarge = new TextEncoder().encode(draft).length > maxPromptBytes;

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (draft === "" || tooLarge || prompt.isPending) return;
    prompt.mutate(
      { text: draft, idempotencyKey: keyOf(draft) },
      {
        onSuccess: ({ promptId }) => {
          setText("");
          forget();
          onSent(promptId, draft);
        },
      },
    );
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };

  if (status === "stopped") {
    return (
      <p className="composer composer-closed muted">This session was stopped. Its history stays.</p>
    );
  }
  const error = prompt.error ?? cancel.error;
  return (
    <form className="composer" ref={form} onSubmit={send} aria-label="Ask the agent">
      <ProblemNotice error={error} />
      {tooLarge && (
        <Notice tone="warning">This is more than the 100 KB that can be sent at once.</Notice>
      )}
      <label className="visually-hidden" htmlFor={ids.box}>
        Prompt
      </label>
      <textarea
        id={ids.box}
        aria-describedby={ids.hint}
        rows={2}
        value={text}
        placeholder={placeholders[status] ?? "Ask the agent something"}
        readOnly={prompt.isPending}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={sendOnEnter}
      />
      <div className="composer-foot">
        <p className="hint" id={ids.hint}>
          <kbd>Ctrl</kbd> or <kbd>⌘</kbd> + <kbd>Enter</kbd> sends
        </p>
        <div className="button-row">
          {busy && (
            <Button busy={cancel.isPending} onClick={() => cancel.mutate("cancel")}>
              Cancel
            </Button>
          )}
          <Button
            kind="primary"
            type="submit"
            disabled={draft === "" || tooLarge}
            busy={prompt.isPending}
          >
            Send
          </Button>
        </div>
      </div>
    </form>
  );
};
