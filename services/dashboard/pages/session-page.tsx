import { useEffect, useId, useState } from "react";
import { useParams } from "react-router";
import { type SessionId, idSchema } from "#contracts/ids";
import type { SessionView } from "#contracts/session/view";
import { isProblemError } from "#services/client/problem-error";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { useSessionInvocations } from "../approvals/approval-queries.ts";
import { Composer } from "../session/composer.tsx";
import { ConnectionBanner } from "../session/connection-banner.tsx";
import { EnvRequests } from "../session/env-requests.tsx";
import { SessionDetails } from "../session/session-details.tsx";
import { SessionHeader } from "../session/session-header.tsx";
import { useOpenPrompts, useSession, useTranscript } from "../session/session-queries.ts";
import { currentStatus, isWatchable } from "../session/session-status.ts";
import { TodoList } from "../session/todo-list.tsx";
import { Transcript } from "../session/transcript.tsx";
import { useLiveSession } from "../session/use-live-session.ts";
import { ForeignText } from "../ui/foreign-text.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";
import { Notice } from "../ui/notice.tsx";
import { NotFoundPage } from "./not-found-page.tsx";

const sessionIdSchema = idSchema("session");

export const SessionPage = () => {
  const { data: sessionId } = sessionIdSchema.safeParse(useParams()["sessionId"]);
  // The key starts afresh for another session: nothing of one may be seen in the other.
  return sessionId === undefined ? (
    <NotFoundPage />
  ) : (
    <LoadedSession key={sessionId} sessionId={sessionId} />
  );
};

const LoadedSession = ({ sessionId }: { readonly sessionId: SessionId }) => {
  const session = useSession(sessionId);
  if (session.data !== undefined)
    return <OneSession session={session.data} stale={session.isError} />;
  if (isProblemError(session.error) && session.error.status === 404) return <NotFoundPage />;
  if (session.error)
    return <LoadProblem error={session.error} onRetry={() => void session.refetch()} />;
  return <Loading what="the session" />;
};

interface OneSessionProps {
  readonly session: SessionView;
  /** The latest try to read the session failed; what is shown is from before. */
  readonly stale: boolean;
}

const OneSession = ({ session, stale }: OneSessionProps) => {
  const watched = isWatchable(session.status);
  const { state, dispatch, connection, watchAgain } = useLiveSession(session.id, watched);
  const transcript = useTranscript(session.id);
  const invocations = useSessionInvocations(session.id);
  const openPrompts = useOpenPrompts(
    session.id,
    session.openPrompts > 0 || state.queued.length > 0,
  );
  const detailsId = useId();
  const [detailsOpen, setDetailsOpen] = useState(
    () => window.matchMedia("(min-width: 72rem)").matches,
  );

  useEffect(() => {
    if (transcript.data) dispatch({ type: "transcript_loaded", messages: transcript.data });
  }, [dispatch, transcript.data]);
  useEffect(() => {
    if (invocations.data) dispatch({ type: "invocations_loaded", invocations: invocations.data });
  }, [dispatch, invocations.data]);
  useEffect(() => {
    if (openPrompts.data) dispatch({ type: "prompts_read", prompts: openPrompts.data });
  }, [dispatch, openPrompts.data]);
  useEffect(() => {
    dispatch({ type: "session_read", openPrompts: session.openPrompts });
  }, [dispatch, session]);

  const status = currentStatus(session.status, connection?.status === "live" ? state.status : null);
  const busy = session.openPrompts > 0 || state.streaming.length > 0 || state.queued.length > 0;
  const waiting = state.invocations.filter((invocation) => invocation.status === "pending");
  const failure = status === "failed" ? (session.failure?.message ?? state.statusDetail) : null;
  const whyWaiting =
    status === "starting" ? (state.statusDetail ?? session.failure?.message ?? null) : null;
  return (
    <div className={detailsOpen ? "session session-with-details" : "session"}>
      <title>{`${session.title} · Proliferate`}</title>
      <SessionHeader
        session={session}
        status={status}
        detailsId={detailsId}
        detailsOpen={detailsOpen}
        onToggleDetails={() => setDetailsOpen((open) => !open)}
      />
      <div className="session-main">
        <ConnectionBanner
          connection={connection}
          problem={state.channelProblem}
          onWatchAgain={watchAgain}
        />
        {stale && connection?.status !== "waiting" && (
          <Notice tone="warning">The session could not be read again; this may be old.</Notice>
        )}
        {state.sandboxWarnings.map(({ code, message }) => (
          <Notice key={code} tone="warning">
            {message}
          </Notice>
        ))}
        {session.excludedConnections.map(({ connection, message }) => (
          <Notice key={connection} tone="warning">
            <span>
              The agent works without {connection}: <ForeignText text={message} />
            </span>
          </Notice>
        ))}
        {whyWaiting !== null && <Notice tone="warning">{whyWaiting}</Notice>}
        {failure !== null && <Notice tone="danger">{failure}</Notice>}
        {transcript.error && state.status === null && (
          <LoadProblem error={transcript.error} onRetry={() => void transcript.refetch()} />
        )}
        <Transcript sessionId={session.id} state={state} status={status} busy={busy} />
        {waiting.length > 0 && (
          <section className="approvals-here" aria-label="Waiting for approval" aria-live="polite">
            {waiting.map((invocation) => (
              <ApprovalCard key={invocation.id} sessionId={session.id} invocation={invocation} />
            ))}
          </section>
        )}
        <EnvRequests sessionId={session.id} told={state.envRequestsTold} />
        <TodoList messages={state.messages} streaming={state.streaming} />
        <Composer
          sessionId={session.id}
          status={status}
          busy={busy}
          onSent={(promptId, text) => dispatch({ type: "prompt_sent", promptId, text })}
        />
      </div>
      {detailsOpen && (
        <SessionDetails id={detailsId} session={session} status={status} state={state} />
      )}
    </div>
  );
};
