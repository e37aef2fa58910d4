import { Link } from "react-router";
import type { SessionView } from "#contracts/session/view";
import { useSessions } from "../session/session-queries.ts";
import { StatusBadge } from "../session/status-badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";
import { TimeAgo } from "../ui/time.tsx";

export const SessionsPage = () => {
  const sessions = useSessions();
  const rows = sessions.data?.pages.flatMap((page) => page.sessions);
  return (
    <div className="page">
      <title>Sessions · Proliferate</title>
      <header className="page-head">
        <h1>Sessions</h1>
        <Link className="button button-primary" to="/sessions/new">
          New session
        </Link>
      </header>
      {sessions.error && (
        <LoadProblem error={sessions.error} onRetry={() => void sessions.refetch()} />
      )}
      {sessions.isPending && <Loading what="sessions" />}
      {rows?.length === 0 && (
        <EmptyState title="No sessions yet">
          <p>A session is one agent at work in a sandbox of its own, on a repository of yours.</p>
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <ul className="plain-list session-list">
          {rows.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      {sessions.hasNextPage && (
        <Button busy={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
          Show older sessions
        </Button>
      )}
    </div>
  );
};

const SessionRow = ({ session }: { readonly session: SessionView }) => (
  <li>
    <Link className="session-row" to={`/sessions/${session.id}`}>
      <span className="session-row-title">{session.title}</span>
      <span className="session-row-meta muted">
        {session.repository ? `${repositoryName(session.repository.url)} · ` : ""}
        <TimeAgo at={session.createdAt} />
        {session.origin.kind === "automation" && " · by an automation"}
      </span>
      <StatusBadge status={session.status} />
    </Link>
  </li>
);

/** The last two parts of the address, as in `owner/name`. */
const repositoryName = (url: string): string =>
  url
    .replace(/\.git$|\/+$/g, "")
    .split(/[/:]/)
    .filter(Boolean)
    .slice(-2)
    .join("/");
