import { Link } from "react-router";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { usePendingApprovals } from "../approvals/approval-queries.ts";
import { knownFromView } from "../approvals/known-invocation.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadProblem } from "../ui/load-problem.tsx";
import { Loading } from "../ui/loading.tsx";
import { TimeAgo } from "../ui/time.tsx";

/** Everything in the organisation that waits for a person. */
export const ApprovalsPage = () => {
  const approvals = usePendingApprovals();
  return (
    <div className="page">
      <title>Approvals · Proliferate</title>
      <header className="page-head">
        <h1>Approvals</h1>
      </header>
      {approvals.error && (
        <LoadProblem error={approvals.error} onRetry={() => void approvals.refetch()} />
      )}
      {approvals.isPending && <Loading what="approvals" />}
      {approvals.data?.length === 0 && (
        <EmptyState title="Nothing waits for you">
          <p>
            When an agent asks for an action that needs a person, it appears here and in its
            session.
          </p>
        </EmptyState>
      )}
      <ul className="plain-list approval-list" aria-label="Waiting for approval" aria-live="polite">
        {approvals.data?.map((invocation) => (
          <li key={invocation.id}>
            <ApprovalCard sessionId={invocation.sessionId} invocation={knownFromView(invocation)}>
              <p className="approval-source muted">
                Asked <TimeAgo at={invocation.createdAt} />
                {" · "}
                <Link to={`/sessions/${invocation.sessionId}`}>Open the session</Link>
              </p>
            </ApprovalCard>
          </li>
        ))}
      </ul>
    </div>
  );
};
