import { Link } from "react-router";
import type { SessionStatus, SessionView } from "#contracts/session/view";
import { Button } from "../ui/button.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { EditorLink } from "./editor-link.tsx";
import { useControl } from "./session-queries.ts";
import { useStartEditor } from "./start-editor.ts";
import { StatusBadge } from "./status-badge.tsx";

interface SessionHeaderProps {
  readonly session: SessionView;
  readonly status: SessionStatus;
  readonly detailsId: string;
  readonly detailsOpen: boolean;
  readonly onToggleDetails: () => void;
}

export const SessionHeader = (props: SessionHeaderProps) => {
  const { session, status } = props;
  const control = useControl(session.id);
  const editor = useStartEditor(session.id);
  const pending = (name: typeof control.variables) =>
    control.isPending && control.variables === name;
  return (
    <header className="session-head">
      <div className="session-title">
        <Link className="back" to="/" aria-label="All sessions">
          ←
        </Link>
        <h1>{session.title}</h1>
        <StatusBadge status={status} />
      </div>
      <div className="button-row">
        {status !== "stopped" && (
          <Button busy={editor.isPending} onClick={() => editor.mutate()}>
            {editor.isPending ? "Starting VS Code…" : "VS Code"}
          </Button>
        )}
        {status === "paused" && (
          <Button busy={pending("resume")} onClick={() => control.mutate("resume")}>
            Resume
          </Button>
        )}
        {(status === "running" || status === "starting" || status === "migrating") && (
          <Button busy={pending("pause")} onClick={() => control.mutate("pause")}>
            Pause
          </Button>
        )}
        {status !== "stopped" && (
          <ConfirmButton
            label="Delete"
            question="Delete this session?"
            confirmLabel="Delete the session"
            busy={pending("delete")}
            onConfirm={() => control.mutate("delete")}
          >
            The agent stops and its sandbox is removed, with every file that was not pushed. The
            transcript stays.
          </ConfirmButton>
        )}
        <Button
          kind="quiet"
          aria-expanded={props.detailsOpen}
          aria-controls={props.detailsId}
          onClick={props.onToggleDetails}
        >
          Details
        </Button>
      </div>
      {editor.data !== undefined && status !== "stopped" && <EditorLink address={editor.data} />}
      <ProblemNotice error={editor.error} />
      <ProblemNotice error={control.error} />
    </header>
  );
};
